import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// What a holder does when it looks at its server.
@Suite struct ReapplyTests {
  /// A holder on the model server.
  private struct Holder {
    var server: Server
    var mode: AudioMode
    var baseline = Baseline()
    var charges = Charges()
    var yielded: Set<Setting> = []
    var refusals: [Setting: String] = [:]
    var reports: [Property: PropertyReport] = [:]

    /// - Returns: the settings that it set.
    @discardableResult
    mutating func look(
      _ occasion: Occasion = .upkeep, onlyForOthers: Bool = false
    ) throws -> [Setting] {
      var input = PlanInput(mode: mode, snapshot: server.snapshot)
      (input.baseline, input.refusals) = (baseline, refusals)
      input.isHeld = true
      input.isOnlyForOthers = onlyForOthers
      var look = Reapply(
        input, occasion, onDisk: baseline, charges: charges, seen: ForeignChanges(),
        conflicts: ConflictDetector(), at: .zero)
      look.run.input.yielded = yielded
      var set: [Setting] = []
      var isDone = false
      while !isDone {
        switch try look.run.next(isStopped: false, isLate: false) {
        case .read: try look.run.didRead(server.snapshot, grants: server.grants)
        case .save: try look.run.didSave(.success(()))
        case .check: look.run.didCheck(server.snapshot)
        case .run(let step):
          set.append(step.setting)
          do throws(Server.Refusal) {
            try server.run(step)
            look.run.didRun(.done(granted: nil), server.snapshot)
          } catch {
            try look.run.didFail(SessionError(.refused, stage: .server, error.message))
          }
        case .finish: isDone = true
        }
      }
      baseline = look.end().baseline
      charges = look.charges
      refusals = look.run.input.refusals
      input.refusals = refusals
      input.snapshot = server.snapshot
      reports = SessionState.reports(
        input, by: Observer(server.snapshot, grants: server.grants, memory: input.memory))
      return set
    }

    func isAt(_ fraction: Double, _ name: String) -> Bool {
      server.snapshot.device(.input, named: name)?.volume.isUniformly(Volume(fraction: fraction))
        == true
    }
  }

  private static func machine(_ change: (inout Server) -> Void = { _ in }) -> Server {
    Server.machine {
      $0.addLaptop()
      $0.addUSB()
      change(&$0)
    }
  }

  @Test func `an echo canceller that was refused is no promise for the next recording`() throws {
    let mode = preferring {
      $0.category = .playAndRecord
      $0.mode = .voiceChat
      $0.unloadsIdleEchoCanceller = true
    }
    var holder = Holder(server: Self.machine(), mode: mode)
    let microphone = try #require(holder.server.snapshot.server.defaultSourceName)
    #expect(try holder.look().isEmpty)
    #expect(holder.reports[.mode]?.verdict == .applied)
    holder.server.refuses = [.echoCanceller]
    holder.server.add(stream: "call", .input, on: microphone)
    #expect(try holder.look() == [.echoCanceller])
    #expect(holder.reports[.mode]?.verdict == .refused)
    holder.server.removeStreams(.input) { _ in true }
    #expect(try holder.look().isEmpty)
    #expect(holder.reports[.mode]?.verdict == .refused)
    // A server that was started again has refused nothing.
    let refusals = holder.refusals
    #expect(try holder.look(.reset).isEmpty)
    #expect(holder.reports[.mode]?.verdict == .applied)
    holder.refusals = refusals
    holder.server.refuses = []
    holder.server.add(stream: "call", .input, on: microphone)
    #expect(try holder.look().contains(.echoCanceller))
    #expect(holder.reports[.mode]?.verdict == .applied)
  }

  @Test func `the rest is maintained while a hint that must be met cannot be`() throws {
    let mode = preferring {
      $0.sampleRate = 96000
      $0.strict = [.sampleRate]
      $0.inputMuted = true
    }
    var holder = Holder(server: Self.machine(), mode: mode)
    let microphone = try #require(holder.server.snapshot.server.defaultSourceName)
    try holder.look(.reset)
    #expect(holder.server.snapshot.device(.input, named: microphone)?.isMuted == true)
  }

  @Test func `a device that is no longer used is a person's again`() throws {
    let mode = preferring {
      $0.preferredInput = [.name(Server.usb), .name(Server.microphone)]
      $0.inputGain = Volume(fraction: 0.5)
    }
    var holder = Holder(server: Self.machine(), mode: mode)
    // Twice: what it had before the session, and what a person chose since.
    for level in [0.8, 0.3] {
      try holder.server.edit(.input, Server.microphone) {
        $0.volume = ChannelVolumes(Volume(fraction: level), channels: 2)
      }
      try holder.look()
      holder.server.unplug("alsa_card.usb")
      try holder.look()
      #expect(holder.isAt(0.5, Server.microphone))
      holder.server.plug("alsa_card.usb")
      try holder.look()
      #expect(holder.isAt(level, Server.microphone))
    }
  }

  @Test func `a device that returns with more channels gets the mode's level on all`() throws {
    var mode = AudioMode(category: .playback)
    mode.preferredOutput = [.name("null")]
    mode.outputVolume = Volume(fraction: 0.5)
    var holder = Holder(server: Self.machine { $0.addLoose(.output, "null") }, mode: mode)
    try holder.look()
    let null = try #require(holder.server.snapshot.device(.output, named: "null"))
    holder.server.remove(null)
    try holder.look()
    holder.server.addLoose(.output, "null", .quad)
    try holder.look()
    let volume = holder.server.snapshot.device(.output, named: "null")?.volume
    #expect(volume == ChannelVolumes(Volume(fraction: 0.5), channels: 4))
    #expect(holder.refusals == [:])
  }

  @Test func `the default is the one from before the session, not what the server falls back to`()
    throws
  {
    let mode = preferring { $0.preferredInput = [.name(Server.usb), .default] }
    var server = Self.machine { $0.addLoose(.input, "webcam") }
    try server.setDefault(.input, "webcam")
    var holder = Holder(server: server, mode: mode)
    try holder.look()
    #expect(holder.server.snapshot.server.defaultSourceName == Server.usb)
    holder.server.unplug("alsa_card.usb")
    #expect(holder.server.snapshot.server.defaultSourceName == Server.microphone)
    let (away, baseline) = (holder.server, holder.baseline)
    try holder.look()
    #expect(holder.server.snapshot.server.defaultSourceName == "webcam")
    // The same where nothing holds, and the mode is applied once more.
    var input = PlanInput(mode: mode, snapshot: away.snapshot)
    input.baseline = baseline
    var run = Run(away, input)
    run.run()
    #expect(run.failure == nil, "\(run.trace)")
    #expect(run.server.snapshot.server.defaultSourceName == "webcam", "\(run.trace)")
  }

  @Test func `a default that a person chooses while the preferred device is away stays`() throws {
    var server = Self.machine { $0.addLoose(.input, "webcam") }
    try server.setDefault(.input, Server.microphone)
    let mode = preferring { $0.preferredInput = [.name(Server.usb), .default] }
    var holder = Holder(server: server, mode: mode)
    try holder.look()
    holder.server.unplug("alsa_card.usb")
    try holder.look()
    try holder.server.setDefault(.input, "webcam")
    #expect(try holder.look() == [])
    #expect(holder.server.snapshot.server.defaultSourceName == "webcam")
  }

  @Test func `a look at others alone silences who began to play, and takes charge of nothing else`()
    throws
  {
    var server = Server.laptop(kind: .pipewire)
    server.addLoose(.input, "webcam")
    try server.setDefault(.input, Server.microphone)
    let mode = preferring {
      $0.preferredInput = [.name(Server.microphone)]
      $0.options = [.silenceOthers]
    }
    var holder = Holder(server: server, mode: mode)
    try holder.look(.reset)
    let known = holder.baseline.entries
    try holder.server.setDefault(.input, "webcam")
    #expect(try holder.look(onlyForOthers: true) == [])
    #expect(holder.baseline.entries == known)
    let song = holder.server.add(stream: "song", .output, on: Server.speakers)
    #expect(try holder.look(onlyForOthers: true) == [.othersMute(song)])
    #expect(holder.baseline.entries.filter { !$0.setting.isOfOthers } == known)
    // What a person turns on again is left alone.
    try holder.server.edit(song) { $0.isMuted = false }
    #expect(try holder.look(onlyForOthers: true) == [])
    #expect(holder.server.snapshot.server.defaultSourceName == "webcam")
    #expect(try holder.look() == [.defaultDevice(.input)])
  }

  @Test func `streams that come and go leave nothing behind`() throws {
    let mode = preferring {
      $0.preferredOutput = [.name(Server.speakers)]
      $0.moveOutputStreams = true
    }
    var holder = Holder(server: Self.machine(), mode: mode)
    try holder.look()
    let known = holder.baseline.entries.count
    for _ in 0..<20 {
      let song = holder.server.add(stream: "song", .output, on: Server.speakers)
      try holder.look()
      #expect(holder.baseline.entries.count == known + 1)
      holder.server.removeStreams(.output) { $0.index == song }
      try holder.look()
    }
    #expect(holder.baseline.entries.count == known)
  }

  /// Also behind a first choice that is there, and whose port of that type is not plugged in.
  @Test(arguments: [nil, [.portType(.headsetMic), .default]] as [[DeviceMatcher]?])
  func `a chain follows a default that a person chooses, and stays on it`(
    _ list: [DeviceMatcher]?
  ) throws {
    var server = Self.machine()
    try server.setDefault(.input, Server.microphone)
    let mode = preferring { ($0.channelMap, $0.preferredInput) = (.swap, list) }
    var holder = Holder(server: server, mode: mode)
    try holder.look()
    #expect(holder.server.snapshot.chain.remap(.input)?.master == Server.microphone)
    try holder.server.setDefault(.input, Server.usb)
    try holder.look()
    #expect(holder.server.snapshot.chain.remap(.input)?.master == Server.usb)
    #expect(holder.server.snapshot.server.defaultSourceName == "audiosession.input")
    // What a revert restores stays what it was before the session.
    #expect(holder.baseline[.defaultDevice(.input)]?.before == .name(Server.microphone))
    #expect(try holder.look() == [])
    #expect(holder.server.snapshot.chain.remap(.input)?.master == Server.usb)
  }

  @Test func `a remap that another program takes away keeps no device from being the default`()
    throws
  {
    let mode = preferring {
      $0.preferredInput = [.name(Server.usb)]
      $0.channelMap = .swap
    }
    var server = Self.machine()
    try server.setDefault(.input, Server.microphone)
    var holder = Holder(server: server, mode: mode, yielded: [.chain(.input)])
    try holder.look()
    #expect(holder.server.snapshot.server.defaultSourceName == Server.usb)
    let report = holder.server.reports(mode) { $0.yielded = [.chain(.input)] }[.channelMap]
    #expect(report?.verdict == .overridden, "\(report as Any)")
  }

  /// The offset and the codec are the device's, and its successor was not asked for.
  @Test func `nothing is set on another device while the preferred one is away`() throws {
    let mode = preferring {
      $0.preferredInput = [.name(Server.usb)]
      $0.inputLatencyOffset = .milliseconds(7)
    }
    var holder = Holder(server: Self.machine(), mode: mode)
    try holder.look()
    holder.server.unplug("alsa_card.usb")
    #expect(try !holder.look().contains { if case .latencyOffset = $0 { true } else { false } })
    let offsets = holder.server.snapshot.cards.flatMap(\.ports).map(\.latencyOffset)
    #expect(offsets.allSatisfy { $0 == .zero }, "\(offsets)")
  }

  /// PipeWire removes a device before it reports the new profile of its card, and an output's monitor is a
  /// source of the card.
  @Test func `a device that is away for a moment costs its card no other one`() throws {
    var server = Server.laptop(kind: .pipewire)
    server.remove(try #require(server.snapshot.device(.input, named: Server.microphone)))
    let mode = preferring {
      $0.category = .record
      $0.preferredInput = [.name(Server.microphone)]
    }
    var holder = Holder(server: server, mode: mode)
    #expect(try !holder.look().contains { if case .cardProfile = $0 { true } else { false } })
  }
}
