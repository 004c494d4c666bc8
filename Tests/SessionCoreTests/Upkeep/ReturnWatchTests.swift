import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// What is left to restore when devices that were away return, and no mode is in force.
@Suite struct ReturnWatchTests {
  private static let gain = Setting.volume(.input, device: Server.usb)
  private static let before = volumes(0.3)
  private static let ours = volumes(0.8)

  private static func volumes(_ fraction: Double) -> ChannelVolumes {
    ChannelVolumes(Volume(fraction: fraction), channels: 2)
  }

  /// A server whose microphone has a gain; without it if that is nil.
  private func server(_ kind: ServerKind, _ gain: ChannelVolumes?) throws -> ServerSnapshot {
    var server = Server.laptop(kind: kind)
    server.addUSB()
    if let gain {
      try server.edit(.input, Server.usb) { $0.volume = gain }
    } else {
      server.remove(try #require(server.snapshot.device(.input, named: Server.usb)))
      server.snapshot.cards.removeAll { $0.name == "alsa_card.usb" }
    }
    return server.snapshot
  }

  private func baseline(_ kind: ServerKind) throws -> Baseline {
    var baseline = Baseline(serverCookie: 77)
    let entry = Baseline.Entry(
      setting: Self.gain, before: .volume(Self.before), ours: .volume(Self.ours),
      in: try server(kind, Self.ours))
    baseline.record(entry)
    return baseline
  }

  @Test(arguments: [ServerKind.pulseaudio, .pipewire])
  func `what a device returns with is restored, whatever it is`(_ kind: ServerKind) throws {
    let baseline = try baseline(kind)
    var watch = ReturnWatch()
    // The mode ends, and nothing more happens until the device returns.
    watch.noteEnd(baseline, in: try server(kind, nil), at: .zero)
    let back = try server(kind, .init(.norm, channels: 2))
    let left = watch.unrestored(baseline, in: back, at: .seconds(9))
    #expect(left.entries.map(\.ours) == [nil])
    let plan = try Plan.make(input(back, left))
    #expect(plan.steps.map(\.to) == [.volume(Self.before)])
  }

  @Test func `a restoring run that is cut short leaves what the session had set known`() throws {
    let baseline = try baseline(.pipewire)
    var watch = ReturnWatch()
    watch.noteEnd(baseline, in: try server(.pipewire, nil), at: .zero)
    let back = try server(.pipewire, .init(.norm, channels: 2))
    var run = Reconciler(
      input(back, watch.unrestored(baseline, in: back, at: .seconds(9))), isRestoring: true)
    guard case .read = try run.next(isStopped: false, isLate: false) else {
      throw CancellationError()
    }
    try run.didRead(back)
    guard case .save(let saved) = try run.next(isStopped: false, isLate: false) else {
      throw CancellationError()
    }
    // The session manager then restores what the session had set.
    let late = try server(.pipewire, Self.ours)
    #expect(saved.unrestored(in: late).entries.map(\.before) == [.volume(Self.before)])
  }

  @Test func `a holder that has changed nothing yet remembers what a restoration has learned`()
    throws
  {
    var life = SessionLife<Int, AudioMode>()
    life.take(1, since: "now")
    var rules = UpkeepRules()
    let baseline = try baseline(.pulseaudio)
    let input = input(try server(.pulseaudio, Self.ours), baseline)
    var restoration = rules.restoreReturned(input, at: .zero)
    restoration.run.input.memory.note(
      .init(
        setting: .rate(.input, device: Server.usb), asked: .rate(48000), got: .rate(44100)),
      on: restoration.run.input.snapshot)
    let learned = restoration.run.input.memory
    try rules.end(restoration, &life) { _ in }
    #expect(rules.restoreReturned(input, at: .seconds(1)).run.input.memory == learned)
    // The stored mode counts, which a memory of changes would hide.
    #expect(life.held == nil)
  }

  @Test func `PulseAudio shows what it restores; PipeWire's session manager comes later`() throws {
    for kind in [ServerKind.pulseaudio, .pipewire] {
      let baseline = try baseline(kind)
      var watch = ReturnWatch()
      _ = watch.unrestored(baseline, in: try server(kind, nil), at: .zero)
      let restored = try server(kind, Self.before)
      let isOver = watch.unrestored(baseline, in: restored, at: .seconds(9)).entries.isEmpty
      #expect(isOver == (kind == .pulseaudio))
      guard kind == .pipewire else { continue }
      #expect(watch.nextEnd(after: .seconds(9)) == .seconds(14))
      let late = try server(kind, Self.ours)
      #expect(watch.unrestored(baseline, in: late, at: .seconds(10)).entries.map(\.ours) == [nil])
      #expect(watch.unrestored(baseline, in: restored, at: .seconds(14)).entries == [])
      #expect(watch.nextEnd(after: .seconds(14)) == nil)
    }
  }

  @Test func `what a person chose since stands, and what is not restored yet is kept`() throws {
    let baseline = try baseline(.pulseaudio)
    var watch = ReturnWatch()
    let theirs = try server(.pulseaudio, Self.volumes(0.5))
    #expect(watch.unrestored(baseline, in: theirs, at: .zero).entries == [])
    let kept = try server(.pulseaudio, Self.ours)
    _ = watch.unrestored(baseline, in: try server(.pulseaudio, nil), at: .zero)
    for second in 1...9 {
      #expect(watch.unrestored(baseline, in: kept, at: .seconds(second)).entries.count == 1)
    }
  }

  @Test func `what PipeWire shows right after its start is no user's choice`() throws {
    var watch = ReturnWatch()
    let baseline = try baseline(.pipewire)
    var started = try server(.pipewire, .init(.norm, channels: 2))
    started.server.cookie += 1
    #expect(watch.unrestored(baseline, in: started, at: .zero).entries == baseline.entries)
    #expect(watch.nextEnd(after: .zero) == .seconds(5))
    #expect(watch.unrestored(baseline, in: started, at: .seconds(5)).entries == [])
    var late = try server(.pipewire, Self.ours)
    late.server.cookie += 1
    #expect(watch.unrestored(baseline, in: late, at: .seconds(1)).entries == baseline.entries)
  }

  @Test func `a device that arrived while the mode ended has just returned`() throws {
    let baseline = try baseline(.pipewire)
    let shown = try server(.pipewire, .init(.norm, channels: 2))
    #expect(baseline.pending(in: shown).entries == [])
    let left = baseline.pending(in: shown, besides: [Server.usb])
    #expect(left.entries == baseline.entries)
    var watch = ReturnWatch()
    watch.noteEnd(left, in: shown, at: .zero)
    let late = watch.unrestored(left, in: try server(.pipewire, Self.ours), at: .seconds(1))
    #expect(late.entries.map(\.ours) == [nil])
  }

  @Test func `a mute that PipeWire shows right after its start is no user's choice`() throws {
    var watch = ReturnWatch()
    var baseline = Baseline(serverCookie: 77)
    let mute = Setting.mute(.input, device: Server.usb)
    baseline.record(
      Baseline.Entry(
        setting: mute, before: .flag(false), ours: .flag(true),
        in: try server(.pipewire, Self.ours)))
    var started = try server(.pipewire, .init(.norm, channels: 2))
    started.server.cookie += 1
    // Not muted is what was there before, and what any device begins with.
    #expect(watch.unrestored(baseline, in: started, at: .zero).entries == baseline.entries)
    var muted = started
    let at = try #require(muted.sources.firstIndex { $0.name == Server.usb })
    muted.sources[at].isMuted = true
    #expect(watch.unrestored(baseline, in: muted, at: .seconds(1)).entries == baseline.entries)
    #expect(watch.unrestored(baseline, in: started, at: .seconds(5)).entries == [])
  }

  @Test(arguments: [ServerKind.pulseaudio, .pipewire])
  func `what another profile of the card has removed is restored when it is back`(
    _ kind: ServerKind
  ) throws {
    let baseline = try baseline(kind)
    #expect(baseline.entries.map(\.card) == ["alsa_card.usb"])
    #expect(baseline.entries.map(\.profile) == ["input:analog-stereo"])
    var off = try server(kind, Self.ours)
    off.sources.removeAll { $0.name == Server.usb }
    let at = try #require(off.cards.firstIndex { $0.name == "alsa_card.usb" })
    off.cards[at].activeProfile = "off"
    #expect(baseline.pending(in: off).entries == baseline.entries)
    var watch = ReturnWatch()
    watch.noteEnd(baseline, in: off, at: .zero)
    #expect(watch.unrestored(baseline, in: off, at: .seconds(1)).entries == baseline.entries)
    #expect(watch.nextEnd(after: .zero) == nil)
    // The value that it returns with is the server's choice.
    let back = try server(kind, Self.volumes(0.5))
    let left = watch.unrestored(baseline, in: back, at: .seconds(2))
    #expect(left.entries.map(\.ours) == [nil])
    #expect(try Plan.make(input(back, left)).steps.map(\.to) == [.volume(Self.before)])
  }

  @Test(arguments: [ServerKind.pulseaudio, .pipewire])
  func `what a run did not restore is restored by the next one`(_ kind: ServerKind) throws {
    let (away, back) = (try server(kind, nil), try server(kind, .init(.norm, channels: 2)))
    var (rules, life) = (UpkeepRules(), SessionLife<Int, AudioMode>())
    life.take(1, since: "now")
    let input = input(back, try baseline(kind))
    rules.returns.noteEnd(input.baseline, in: away, at: .zero)
    // A run that fails, one that the server refuses, and one after PipeWire has settled.
    for (second, isCutShort) in [(9, true), (10, false), (20, false)] {
      var restoration = rules.restoreReturned(input, at: .seconds(second))
      let steps = try refuseAll(&restoration.run, back)
      #expect(steps.map(\.to) == [.volume(Self.before)], "\(second) s")
      guard !isCutShort else { continue }
      try rules.end(restoration, &life) { Issue.record("\($0)") }
    }
    // Meanwhile a person has chosen another value.
    let theirs = try server(kind, Self.volumes(0.5))
    let restoration = rules.restoreReturned(
      self.input(theirs, input.baseline), at: .seconds(30))
    #expect(restoration.run.input.baseline.entries == [])
  }

  /// Runs to the end beside a server that refuses all.
  ///
  /// - Returns: the refused steps.
  private func refuseAll(_ run: inout Reconciler, _ server: ServerSnapshot) throws -> [Step] {
    var steps: [Step] = []
    while true {
      switch try run.next(isStopped: false, isLate: false) {
      case .read: try run.didRead(server)
      case .save: try run.didSave(.success(()))
      case .check: run.didCheck(server)
      case .run(let step):
        steps.append(step)
        try run.didFail(SessionError(.refused, stage: .server, "no"))
      case .finish: return steps
      }
    }
  }

  private func input(_ snapshot: ServerSnapshot, _ baseline: Baseline) -> PlanInput {
    var input = PlanInput(mode: AudioMode(), snapshot: snapshot)
    input.baseline = baseline
    input.occasion = .upkeep
    return input
  }
}
