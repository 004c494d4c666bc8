import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// Others' streams, which the session silences or ducks one by one.
@Suite struct OtherStreamsTests {
  private let duck = preferring { $0.options = [.duckOthers] }
  private let silence = preferring { $0.options = [.silenceOthers] }

  /// A laptop with PipeWire, on which a browser plays.
  private func playing() -> (Server, Index<Stream>) {
    var server = Server.laptop(kind: .pipewire)
    let firefox = server.add(stream: "firefox", .output, on: Server.speakers)
    return (server, firefox)
  }

  private func run(
    _ server: Server, _ mode: AudioMode, _ baseline: Baseline = Baseline(),
    _ more: (inout PlanInput) -> Void = { _ in }
  ) -> Run {
    var input = PlanInput(mode: mode, snapshot: server.snapshot)
    input.baseline = baseline
    more(&input)
    var run = Run(server, input)
    run.run()
    return run
  }

  private func volume(_ server: Server, _ stream: Index<Stream>) -> ChannelVolumes? {
    server.snapshot.sinkInputs.first { $0.index == stream }?.volume
  }

  private func isMuted(_ server: Server, _ stream: Index<Stream>) -> Bool? {
    server.snapshot.sinkInputs.first { $0.index == stream }?.isMuted
  }

  private func verdict(_ run: Run) -> Verdict? {
    run.server.reports(run.input.mode) { $0.baseline = run.stored }[.options]?.verdict
  }

  @Test func `a stream is lowered by as much as the module does, once, and restored exactly`()
    throws
  {
    var (server, firefox) = playing()
    try server.edit(firefox) {
      $0.volume = ChannelVolumes([Volume(fraction: 0.5), Volume(rawValue: 12345)])
    }
    let before = try #require(volume(server, firefox))
    let first = run(server, duck)
    #expect(first.failure == nil && verdict(first) == .applied)
    let after = try #require(volume(first.server, firefox))
    for (was, now) in zip(before.values, after.values) {
      #expect(abs(was.decibels - now.decibels - 20) < 0.01)
    }
    // Again nothing is to be done, whether asked or kept.
    for occasion in [Occasion.asked, .upkeep, .reset] {
      let again = run(first.server, duck, first.stored) { $0.occasion = occasion }
      #expect(again.plans.map(\.lines) == [[]])
    }
    let last = run(first.server, AudioMode(), first.stored)
    #expect(volume(last.server, firefox) == before)
    #expect(last.stored.entries == [])
  }

  @Test func `what is no music of others is left alone`() throws {
    var server = Server.laptop(kind: .pipewire)
    func add(_ properties: [String: String] = [:], isCorked: Bool = false) -> Index<Stream> {
      server.add(
        stream: "p", .output, on: Server.speakers, isCorked: isCorked, properties: properties)
    }
    let music = add(["media.role": "music"])
    let spared = [
      add(["media.role": "phone"]), add(["media.role": "event"]), add(["media.role": "a11y"]),
      add(["media.role": "audiosession"]), add([Owned.pinKey: "latency"]),
      add(isCorked: true),
      add(["node.link-group": "filter-1"]), add(["application.process.id": "42"]),
    ]
    let first = run(server, silence) { $0.process = 42 }
    #expect(isMuted(first.server, music) == true)
    for stream in spared { #expect(isMuted(first.server, stream) == false) }
    #expect(first.server.snapshot.modules == [])
    #expect(!first.server.snapshot.sinkInputs.contains { $0.properties[Owned.pinKey] == "others" })
    // What pauses after it was silenced stays so, lest it is heard when it goes on.
    var later = first.server
    try later.edit(music) { $0.isCorked = true }
    let again = run(later, silence, first.stored) { $0.process = 42 }
    #expect(again.plans.map(\.lines) == [[]])
    #expect(isMuted(run(later, AudioMode(), first.stored).server, music) == false)
  }

  @Test(arguments: [CategoryOption.silenceOthers, .duckOthers])
  func `a stream that is at zero, or not told yet, is treated when it is louder`(
    _ option: CategoryOption
  ) throws {
    var (server, firefox) = playing()
    let mode = AudioMode(category: .playback, options: [option])
    try server.edit(firefox) { $0.volume = ChannelVolumes(.muted, channels: 2) }
    let first = run(server, mode)
    #expect(first.plans.map(\.lines) == [[]])
    var later = first.server
    let before = ChannelVolumes(Volume(fraction: 0.5), channels: 2)
    try later.edit(firefox) { $0.volume = before }
    let second = run(later, mode, first.stored) { $0.occasion = .upkeep }
    #expect(second.stored.entries.count { $0.setting.isOfOthers } == 1)
    #expect(verdict(second) == .applied)
    let last = run(second.server, AudioMode(), second.stored)
    #expect(volume(last.server, firefox) == before && isMuted(last.server, firefox) == false)
  }

  @Test func `a stream that begins later is treated, and one that ends is forgotten`() throws {
    let (server, firefox) = playing()
    let first = run(server, silence)
    var later = first.server
    let vlc = later.add(stream: "vlc", .output, on: Server.speakers)
    later.removeStreams(.output) { $0.index == firefox }
    let report = later.reports(silence) {
      $0.baseline = first.stored
      $0.occasion = .upkeep
    }[.options]
    #expect(report?.verdict == .pending && report?.waitingFor == .stream)
    let second = run(later, silence, first.stored) { $0.occasion = .upkeep }
    #expect(second.plans.first?.lines == ["7 sink input \(vlc) mute: off → on"])
    #expect(second.stored.entries.map(\.setting) == [.othersMute(vlc)])
    #expect(run(second.server, AudioMode(), second.stored).failure == nil)
  }

  @Test func `what somebody changed since is left, until somebody asks anew`() throws {
    let (server, firefox) = playing()
    let first = run(server, duck)
    var changed = first.server
    let louder = ChannelVolumes(Volume(fraction: 0.9), channels: 2)
    try changed.edit(firefox) { $0.volume = louder }
    let kept = run(changed, duck, first.stored) { $0.occasion = .upkeep }
    #expect(kept.plans.map(\.lines) == [[]])
    let report = changed.reports(duck) {
      $0.baseline = first.stored
      $0.occasion = .upkeep
    }[.options]
    #expect(report?.verdict == .overridden && report?.reason?.contains("firefox") == true)
    let reverted = run(changed, AudioMode(), first.stored)
    #expect(volume(reverted.server, firefox) == louder)
    #expect(reverted.plans.first?.left.count == 1)
    let asked = run(changed, duck, first.stored)
    #expect(volume(asked.server, firefox)?.loudest == volume(first.server, firefox)?.loudest)
    #expect(
      volume(run(asked.server, AudioMode(), asked.stored).server, firefox)
        == ChannelVolumes(.norm, channels: 2))
  }

  @Test func `another duckingPolicy takes the place of the former`() throws {
    let (server, firefox) = playing()
    let first = run(server, duck)
    let second = run(first.server, silence, first.stored)
    #expect(second.failure == nil && verdict(second) == .applied)
    #expect(volume(second.server, firefox)?.loudest == .norm)
    #expect(isMuted(second.server, firefox) == true)
    #expect(second.stored.entries.map(\.setting) == [.othersMute(firefox)])
  }

  @Test func `speech alone is silenced`() {
    var (server, firefox) = playing()
    let reader = server.add(
      stream: "reader", .output, on: Server.speakers, properties: ["media.role": "speech"])
    let first = run(server, preferring { $0.options = [.interruptSpokenAudio] })
    #expect(isMuted(first.server, reader) == true && isMuted(first.server, firefox) == false)
  }

  @Test func `speech is silenced and music lowered, if both are asked`() {
    var (server, firefox) = playing()
    let reader = server.add(
      stream: "reader", .output, on: Server.speakers, properties: ["media.role": "speech"])
    let first = run(server, preferring { $0.options = [.duckOthers, .interruptSpokenAudio] })
    #expect(first.failure == nil && verdict(first) == .applied)
    #expect(isMuted(first.server, reader) == true && isMuted(first.server, firefox) == false)
    #expect((volume(first.server, firefox)?.loudest ?? .norm) < Volume(fraction: 0.5))
    #expect(volume(first.server, reader)?.loudest == .norm)
    // Silence is silence for speech, too; and what was lowered is not lowered any more.
    let second = run(first.server, silence, first.stored)
    #expect(isMuted(second.server, reader) == true && isMuted(second.server, firefox) == true)
    #expect(volume(second.server, firefox)?.loudest == .norm)
  }

  @Test func `who ends, and who comes after a crash, gives back what was taken`() throws {
    let (server, firefox) = playing()
    var mode = silence
    mode.preferredOutput = [.name(Server.speakers)]
    mode.outputMuted = true
    let first = run(server, mode)
    let leaving = run(first.server, mode, first.stored) { $0.occasion = .leaving }
    #expect(leaving.plans.first?.lines == ["7 sink input \(firefox) mute: on → off"])
    #expect(leaving.server.snapshot.device(.output, named: Server.speakers)?.isMuted == true)
    // A command with nobody who holds.
    let command = run(first.server, mode, first.stored) { $0.isHeld = false }
    #expect(isMuted(command.server, firefox) == false)
    // The server was restarted: its numbers mean other streams.
    var restarted = first.server
    restarted.snapshot.server.cookie = 78
    #expect(
      run(restarted, AudioMode(), first.stored).plans.first?.lines.contains {
        $0.contains("sink input")
      } == false)
  }

  @Test(arguments: [true, false])
  func `PulseAudio is the same, also one that loads no modules`(_ deniesModules: Bool) throws {
    var server = Server.laptop()
    let firefox = server.add(stream: "firefox", .output, on: Server.speakers)
    let vlc = server.add(stream: "vlc", .output, on: Server.speakers, isCorked: true)
    server.deniesModules = deniesModules
    let first = run(server, silence)
    #expect(first.failure == nil && first.server.snapshot.modules == [])
    #expect(isMuted(first.server, firefox) == true && isMuted(first.server, vlc) == false)
    let report = first.server.reports(silence) {
      $0.capabilities = first.input.capabilities
      $0.baseline = first.stored
    }[.options]
    #expect(report?.verdict == .applied)
  }
}
