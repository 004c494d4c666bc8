import AudioSession
import Glibc
import POSIX
import Pulse
import PulseSandbox
import PulseTypes
import SessionCore
import TestSupport
import Testing

/// What was before the session: read when it takes charge, never learnt from another program, and kept
/// while a device is unplugged, or away because its card has another profile.
@Suite("What was before", .bothServers, .timeLimit(.minutes(10)))
struct BeforeTests {
  private static let before = Volume(fraction: 0.3)
  private static let ours = Volume(fraction: 0.8)

  private static func mode(_ gain: Volume) -> AudioMode {
    var mode = AudioMode()
    mode.preferredInput = [.name(Names.usbInput), .name(Names.laptopInput)]
    mode.inputGain = gain
    return mode
  }

  private func prepare(_ rig: Rig) async throws {
    try await rig.outside.setDefaultSource(Names.usbInput)
    #expect(try await rig.eventually { $0.server.defaultSourceName == Names.usbInput })
    try await rig.setInputVolume(ChannelVolumes(Self.before, channels: 2), of: Names.usbInput)
  }

  @Test(
    "a rival's values are not restored, and to undo them nothing is written",
    arguments: Feature.cards.machines)
  func rival(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      try await prepare(rig)
      var mode = Self.mode(Self.before)
      mode.gainLock = true
      let report = try await rig.session.setAudioMode(mode)
      #expect(report.steps.filter { $0.outcome == .applied } == [])
      let stored = try rig.baselineFile()
      // One after the other: PipeWire acknowledges first, and the second might come after the revert.
      try await rig.outside.setDefaultSource(Names.laptopInput)
      let healed = try await rig.steadyState { ($0.reapplies ?? 0) > 0 && !$0.hasUnmet }
      try await rig.outside.setVolume(
        .input, device: Names.usbInput, ChannelVolumes(.norm, channels: 2))
      _ = try await rig.steadyState {
        ($0.reapplies ?? 0) > (healed.reapplies ?? 0) && !$0.hasUnmet
      }
      #expect(try rig.baselineFile() == stored)
      let back = try await rig.session.revert()
      #expect(back.left == [])
      #expect(
        try await rig.eventually {
          $0.server.defaultSourceName == Names.usbInput
            && $0.device(.input, named: Names.usbInput)?.volume.isUniformly(Self.before) == true
        })
    }
  }

  @Test(
    "the gain of an unplugged device is kept, and restored by the next revert",
    arguments: Feature.cards.machines, [true, false])
  func unplugged(on machine: Machine, isHolding: Bool) async throws {
    try await Rig.with(machine.configuration, isHolding: isHolding) { rig in
      try await prepare(rig)
      try await rig.session.setAudioMode(Self.mode(Self.ours))
      try await rig.sandbox.unplug(Names.usbCard)
      if isHolding {
        _ = try await rig.steadyState { $0.route.inputs.first?.name == Names.laptopInput }
      }
      let first = try await rig.session.revert()
      #expect(
        first.left.contains(
          "\(Names.usbCard) is unplugged: its gain is restored when it returns, or by 'revert' then"
        ),
        "\(first.left)")
      try await rig.sandbox.plug(Names.usbCard)
      // The server remembers what the session set. WirePlumber restores it late, and the session's
      // connection is told later still.
      let isBack = { (snapshot: ServerSnapshot) in
        snapshot.device(.input, named: Names.usbInput)?.volume.isUniformly(Self.ours) == true
      }
      #expect(try await rig.eventually(isBack))
      #expect(try await rig.sessionSees(isBack))
      let second = try await rig.session.revert()
      #expect(second.steps.contains { $0.step.property == .inputGain }, "\(second)")
      #expect(
        try await rig.eventually {
          $0.device(.input, named: Names.usbInput)?.volume.isUniformly(Self.before) == true
        })
      #expect(try await rig.session.revert().steps == [])
    }
  }

  private static let removed =
    "\(Names.usbInput) is not there while \(Names.usbCard) has the profile off: the device's gain is "
    + "restored when it returns, or by 'revert' then"

  /// Has another program choose the profile of the microphone's card, and waits until a session sees it.
  private func choose(_ profile: String, _ session: AudioSession, _ rig: Rig) async throws {
    try await rig.setProfile(profile, of: Names.usbCard)
    #expect(
      try await TestSupport.eventually {
        let seen = try await session.snapshot()
        return seen.card(named: Names.usbCard)?.activeProfile == profile
          && (seen.device(.input, named: Names.usbInput) == nil) == (profile == "off")
      })
  }

  @Test(
    "the gain of a device that another profile of its card has removed is kept, and restored later",
    arguments: Feature.cards.machines)
  func otherProfile(on machine: Machine) async throws {
    try await Rig.with(machine.configuration, isHolding: false) { rig in
      try await prepare(rig)
      try await rig.session.setAudioMode(Self.mode(Self.ours))
      try await choose("off", rig.session, rig)
      let first = try await rig.session.revert()
      #expect(first.left.contains(Self.removed), "\(first.left)")
      // It is listed for as long as it is kept.
      let second = try await rig.session.revert()
      #expect(second.steps == [] && second.left.contains(Self.removed), "\(second)")
      try await choose("input:analog-stereo", rig.session, rig)
      let isBack = { (snapshot: ServerSnapshot) in
        snapshot.device(.input, named: Names.usbInput)?.volume.isUniformly(Self.ours) == true
      }
      #expect(try await rig.eventually(isBack))
      #expect(try await rig.sessionSees(isBack))
      let third = try await rig.session.revert()
      #expect(third.steps.contains { $0.step.property == .inputGain }, "\(third)")
      #expect(
        try await rig.eventually {
          $0.device(.input, named: Names.usbInput)?.volume.isUniformly(Self.before) == true
        })
      #expect(try await rig.session.revert().steps == [])
      #expect(try rig.baselineFile() == nil)
    }
  }

  @Test(
    "a device that only the session's profile had is not waited for, whoever ends the profile",
    arguments: Feature.cards.machines)
  func ownProfile(on machine: Machine) async throws {
    try await Rig.with(machine.configuration, isHolding: false) { rig in
      let former = "output:analog-stereo"
      try await rig.setProfile(former)
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(machine.laptopInput)]
      mode.inputGain = Self.ours
      try await rig.session.setAudioMode(mode)
      #expect(
        try await rig.sessionSees { $0.device(.input, named: machine.laptopInput) != nil })
      try await rig.setProfile(former)
      #expect(
        try await rig.sessionSees {
          $0.device(.input, named: machine.laptopInput) == nil
            && $0.card(named: Names.laptop)?.activeProfile == former
        })
      let report = try await rig.session.revert()
      #expect(!report.left.contains { $0.contains("is not there") }, "\(report.left)")
      #expect(try rig.baselineFile() == nil)
    }
  }

  @Test(
    "an apply of another mode restores it only as a step that its plan has",
    arguments: Feature.cards.machines)
  func otherMode(on machine: Machine) async throws {
    try await Rig.with(machine.configuration, isHolding: false) { rig in
      try await prepare(rig)
      try await rig.session.setAudioMode(Self.mode(Self.ours))
      try await rig.sandbox.unplug(Names.usbCard)
      _ = try await rig.session.revert()
      try await rig.sandbox.plug(Names.usbCard)
      let isBack = { (snapshot: ServerSnapshot) in
        snapshot.device(.input, named: Names.usbInput)?.volume.isUniformly(Self.ours) == true
      }
      #expect(try await rig.eventually(isBack))
      #expect(try await rig.sessionSees(isBack))
      var other = AudioMode(category: .record)
      other.preferredInput = [.name(Names.laptopInput)]
      let plan = try await rig.session.plan(for: other)
      #expect(plan.steps.contains { $0.property == .inputGain }, "\(plan)")
      let report = try await rig.session.setAudioMode(other)
      #expect(report.steps.contains { $0.step.property == .inputGain }, "\(report)")
      #expect(
        try await rig.eventually {
          $0.device(.input, named: Names.usbInput)?.volume.isUniformly(Self.before) == true
        })
    }
  }

  @Test(
    "a holder of another mode restores it as soon as the device returns",
    arguments: Feature.cards.machines)
  func holderOfAnother(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      try await prepare(rig)
      try await rig.session.setAudioMode(Self.mode(Self.ours))
      try await rig.sandbox.unplug(Names.usbCard)
      var other = AudioMode(category: .record)
      other.preferredInput = [.name(Names.laptopInput)]
      try await rig.session.setAudioMode(other)
      try await rig.sandbox.plug(Names.usbCard)
      #expect(
        try await rig.eventually {
          $0.device(.input, named: Names.usbInput)?.volume.isUniformly(Self.before) == true
        })
    }
  }

  @Test(
    "a service restores it as soon as the device returns", arguments: Feature.cards.machines)
  func returned(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      try await prepare(rig)
      var configuration = SessionConfiguration(
        timeout: .seconds(20), storeFolder: rig.sandbox.directory + "/store")
      configuration.holdsWithoutMode = true
      let service = AudioSession(server: rig.sandbox.address, configuration: configuration)
      try await service.setAudioMode(Self.mode(Self.ours))
      try await rig.sandbox.unplug(Names.usbCard)
      _ = try await service.revert()
      try await rig.sandbox.plug(Names.usbCard)
      #expect(
        try await rig.eventually {
          $0.device(.input, named: Names.usbInput)?.volume.isUniformly(Self.before) == true
        })
      await service.close()
    }
  }

  @Test(
    "a service restores it as soon as the card has its profile again",
    arguments: Feature.cards.machines)
  func returnedProfile(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      try await prepare(rig)
      var configuration = SessionConfiguration(
        timeout: .seconds(20), storeFolder: rig.sandbox.directory + "/store")
      configuration.holdsWithoutMode = true
      let service = AudioSession(server: rig.sandbox.address, configuration: configuration)
      var mode = Self.mode(Self.ours)
      // It would choose the profile again.
      mode.reapply = .never
      try await service.setAudioMode(mode)
      try await choose("off", service, rig)
      let left = try await service.revert().left
      #expect(left.contains(Self.removed), "\(left)")
      try await rig.setProfile("input:analog-stereo", of: Names.usbCard)
      #expect(
        try await rig.eventually {
          $0.device(.input, named: Names.usbInput)?.volume.isUniformly(Self.before) == true
        })
      await service.close()
    }
  }

  @Test(
    "a device that was unplugged before the revert does not become the default again",
    arguments: Feature.cards.machines, [true, false])
  func unpluggedDefault(on machine: Machine, isHolding: Bool) async throws {
    try await Rig.with(machine.quiet, isHolding: isHolding) { rig in
      try await rig.outside.setDefaultSource(Names.laptopInput)
      #expect(try await rig.eventually { $0.server.defaultSourceName == Names.laptopInput })
      var mode = AudioMode()
      mode.preferredInput = [.name(Names.usbInput), .name(Names.laptopInput)]
      try await rig.session.setAudioMode(mode)
      #expect(try await rig.eventually { $0.server.defaultSourceName == Names.usbInput })
      try await rig.sandbox.unplug(Names.usbCard)
      #expect(try await rig.eventually { $0.server.defaultSourceName == Names.laptopInput })
      if isHolding {
        _ = try await rig.steadyState { $0.route.inputs.first?.name == Names.laptopInput }
      }
      let report = try await rig.session.revert()
      #expect(report.steps.map(\.step.property) == [.preferredInput] && report.left == [])
      #expect(try await rig.session.revert().steps == [])
      try await rig.sandbox.plug(Names.usbCard)
      #expect(try await rig.eventually { $0.device(.input, named: Names.usbInput) != nil })
      // Of the two the server chooses the one from before, also where it had no choice for a while.
      try await rig.sandbox.unplug(Names.laptop)
      #expect(try await rig.eventually { $0.server.defaultSourceName == Names.usbInput })
      try await rig.sandbox.plug(Names.laptop)
      #expect(try await rig.eventually { $0.server.defaultSourceName == Names.laptopInput })
    }
  }

  @Test(
    "a default that no user had chosen stays chosen, which a revert reports once",
    arguments: Feature.devices.machines, [true, false])
  func pickedDefault(on machine: Machine, isChosen: Bool) async throws {
    try await Rig.with(machine.quiet) { rig in
      let first = try #require(try await rig.outside.snapshot().server.defaultSourceName)
      let other = first == Names.usbInput ? Names.laptopInput : Names.usbInput
      let before = isChosen ? other : first
      if isChosen { try await rig.outside.setDefaultSource(other) }
      #expect(try await rig.sessionSees { $0.server.defaultSourceName == before })
      var mode = AudioMode()
      mode.preferredInput = [.name(isChosen ? first : other)]
      try await rig.session.setAudioMode(mode)
      let report = try await rig.session.revert()
      let note =
        "the default source stays chosen, as \(first): the session cannot take a choice back"
        + (machine.isGraph ? "; 'wpctl clear-default' can, for all defaults" : "")
      #expect(report.left == (isChosen ? [] : [note]))
      #expect(try await rig.eventually { $0.server.defaultSourceName == before })
      let again = try await rig.session.revert()
      #expect(again.steps == [] && again.left == [])
    }
  }

  /// WirePlumber restores what it remembers a moment after it shows a device: on PipeWire the first reading is
  /// that level, or the one with which the device comes.
  @Test(
    "a device that is plugged in later gets what was read of it ahead of the session's first write",
    arguments: Feature.cards.machines)
  func pluggedInLater(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { plain in
      try await prepare(plain)
      try await plain.outside.setDefaultSource(Names.laptopInput)
      #expect(try await plain.eventually { $0.server.defaultSourceName == Names.laptopInput })
      try await plain.sandbox.unplug(Names.usbCard)
      let trace = Shared<[TraceEntry]>([])
      var configuration = SessionConfiguration(
        timeout: .seconds(20), storeFolder: plain.sandbox.directory + "/store")
      configuration.tracer = { entry in trace.update { $0.append(entry) } }
      let session = AudioSession(server: plain.sandbox.address, configuration: configuration)
      let rig = Rig(sandbox: plain.sandbox, session: session, outside: plain.outside)
      try await session.setAudioMode(Self.mode(Self.ours))
      try await rig.sandbox.plug(Names.usbCard)
      _ = try await rig.steadyState {
        $0.route.inputs.first?.name == Names.usbInput && !$0.hasUnmet
      }
      // What WirePlumber restores meanwhile, the session sets again.
      try await rig.sandbox.settleCards()
      let isOurs = { (snapshot: ServerSnapshot) in
        snapshot.device(.input, named: Names.usbInput)?.volume.isUniformly(Self.ours) == true
      }
      #expect(try await rig.eventually(isOurs))
      #expect(try await rig.sessionSees(isOurs))
      let entries = trace.value
      let read = try #require(entries.firstIndex { $0.gain(of: Names.usbInput) != nil })
      let written = try #require(entries.firstIndex { $0.writesGain(of: Names.usbInput) })
      let first = try #require(entries[read].gain(of: Names.usbInput))
      #expect(read < written && !first.isUniformly(Self.ours), "\(first)")
      // PulseAudio has restored it before it shows the device.
      #expect(machine.isGraph || first.isUniformly(Self.before), "\(first)")
      try await session.revert()
      #expect(
        try await rig.eventually { $0.device(.input, named: Names.usbInput)?.volume == first },
        "\(first)")
      await session.close()
    }
  }

  @Test("it can be forgotten", arguments: Feature.cards.machines)
  func forgotten(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      try await prepare(rig)
      try await rig.session.setAudioMode(Self.mode(Self.ours))
      try await rig.sandbox.unplug(Names.usbCard)
      let left = try await rig.session.revert(forgetsUnplugged: true).left
      #expect(!left.isEmpty && left.allSatisfy { $0.hasPrefix("forgotten: ") }, "\(left)")
      #expect(try rig.baselineFile() == nil)
      try await rig.sandbox.plug(Names.usbCard)
      #expect(try await rig.session.revert().steps == [])
    }
  }

  @Test(
    "without WirePlumber the session waits for it, writes nothing, and blames no program",
    .graphCards,
    arguments: [Mode.default, .voiceChat])
  func manager(_ use: Mode) async throws {
    try await Rig.with(Machine.graph.configuration) { rig in
      try await prepare(rig)
      let writes = Tripwire(counting: { request in
        ["set_", "load_", "unload_", "move_", "kill_"].contains { request.hasPrefix($0) }
      }) {}
      let rig = Rig(
        sandbox: rig.sandbox, session: Rig.session(rig.sandbox, logger: writes.logger),
        outside: rig.outside)
      var mode = Self.mode(Self.ours)
      mode.mode = use
      if use == .voiceChat { mode.category = .playAndRecord }
      try await rig.session.setAudioMode(mode)
      let before = try rig.baselineFile()
      let (events, later) = (rig.session.events, rig.session.events)
      try await rig.sandbox.kill(.wireplumber)
      writes.arm(1)
      let waiting = try await rig.steadyState { $0.properties[.inputGain]?.verdict == .pending }
      #expect(waiting.properties[.inputGain]?.waitingFor == .sessionManager)
      #expect(waiting.properties[.preferredInput]?.waitingFor == .sessionManager)
      // A look that began before the death was seen may have stored what it was about to do.
      if use == .default { #expect(try rig.baselineFile() == before) }
      for await event in events {
        if case .pending = event { break }
      }
      #expect(!writes.hasTripped)
      try await rig.sandbox.restart(.wireplumber)
      let state = try await rig.steadyState { !$0.hasUnmet }
      let blamed = state.events.filter { if case .conflict = $0.event { true } else { false } }
      #expect(blamed.map(\.event) == [])
      #expect(state.conflicts == [])
      await rig.session.close()
      let reports = await later.reduce(into: [[Unmet]]()) { reports, event in
        if case .pending(let unmet) = event { reports.append(unmet) }
      }
      #expect(reports.count == 1, "\(reports)")
    }
  }
}

extension TraceEntry {
  /// The volumes of an input as read for a plan that names its gain; nil in any other entry.
  fileprivate func gain(of device: String) -> ChannelVolumes? {
    guard case .planned(let input, let plan) = self,
      plan.claims.contains(.volume(.input, device: device))
    else { return nil }
    return input.snapshot.device(.input, named: device)?.volume
  }

  /// Whether it is a step that sets an input's volume.
  fileprivate func writesGain(of device: String) -> Bool {
    guard case .ran(let step, _) = self else { return false }
    return step.setting == .volume(.input, device: device)
  }
}

extension Rig {
  /// The inode of what is stored of what was before, which every write changes; nil without a file.
  fileprivate func baselineFile() throws -> UInt64? {
    let folder = sandbox.directory + "/store"
    let name = Folder.names(folder).first { $0.hasSuffix(".baseline.json") }
    return try name.map { UInt64(try #require(File.status("\(folder)/\($0)")).st_ino) }
  }
}
