import JSONCoding
import PulseTypes
import Testing

@testable import SessionCore

@Suite("What was before, when a run is cut short")
struct BaselineTests {
  private static let volume = Setting.volume(.input, device: "mic")
  private static func level(_ percent: Int) -> SettingValue {
    .volume(ChannelVolumes(Volume(fraction: Double(percent) / 100), channels: 2))
  }

  private static func snapshot(_ percent: Int, on kind: ServerKind = .pulseaudio) -> ServerSnapshot
  {
    let device = Device(
      direction: .input, index: Index(0), name: "mic",
      sampleSpec: SampleSpec(format: .s16le, rate: 44100, channels: 2), channelMap: .stereo)
    var snapshot = ServerSnapshot(
      server: ServerInfo(
        name: kind == .pipewire ? "PulseAudio (on PipeWire 1.4.2)" : "pulseaudio", version: "16.1",
        sampleSpec: SampleSpec(format: .s16le, rate: 44100, channels: 2), channelMap: .stereo,
        defaultSinkName: nil, defaultSourceName: "mic", cookie: 1))
    snapshot.sources = [device]
    if case .volume(let volume) = level(percent) { snapshot.sources[0].volume = volume }
    return snapshot
  }

  /// Was 100 %, was set to 50 % by one run, and was being set to 70 % and 60 % by the next.
  private static var cutShort: Baseline {
    var baseline = Baseline()
    baseline.record(volume, before: level(100), ours: level(50))
    baseline.record(volume, before: level(50), ours: level(60))
    baseline.expect([level(50), level(70), level(60)], of: baseline.entries[0])
    return baseline
  }

  private static func restore(at percent: Int) throws -> Plan {
    var input = PlanInput(mode: AudioMode(), snapshot: snapshot(percent))
    input.baseline = cutShort
    return try Plan.make(input)
  }

  @Test("every value that it can have left goes back", arguments: [50, 60, 70])
  func ours(percent: Int) throws {
    let plan = try Self.restore(at: percent)
    #expect(plan.steps.map(\.to) == [Self.level(100)])
    #expect(plan.left.isEmpty)
  }

  @Test("a value that it cannot have left is somebody else's")
  func foreign() throws {
    let plan = try Self.restore(at: 20)
    #expect(plan.isEmpty)
    #expect(plan.left.count == 1)
  }

  @Test("a later run that finds what it left goes on from there", arguments: [50, 60, 70])
  func settled(percent: Int) {
    var baseline = Self.cutShort
    baseline.settle(in: Self.snapshot(percent))
    #expect(
      baseline.entries == [
        Baseline.Entry(setting: Self.volume, before: Self.level(100), ours: Self.level(percent))
      ])
  }

  @Test("what a run may have left on an unplugged device is known when it returns")
  func cutShortAndUnplugged() throws {
    var away = Self.snapshot(50)
    away.sources = []
    var baseline = Self.cutShort
    baseline.settle(in: away)
    for percent in [50, 60, 70] {
      var input = PlanInput(mode: AudioMode(), snapshot: Self.snapshot(percent))
      input.baseline = baseline
      #expect(try Plan.make(input).steps.map(\.to) == [Self.level(100)], "\(percent) %")
    }
  }

  @Test("a revert keeps what a failed run may have left on an unplugged device")
  func pendingAfterFailure() throws {
    var away = Self.snapshot(100)
    away.sources = []
    // The server was asked for 60 % and did not answer; then for 100 %, and the device was unplugged.
    var failed = Baseline()
    failed.record(Self.volume, before: Self.level(100), ours: Self.level(100))
    failed.expect([Self.level(60), Self.level(100)], of: failed.entries[0])
    #expect(failed.pending(in: away).entries == failed.entries)
    var input = PlanInput(mode: AudioMode(), snapshot: Self.snapshot(60))
    input.baseline = failed.pending(in: away)
    #expect(try Plan.make(input).steps.map(\.to) == [Self.level(100)])
  }

  @Test(
    "on PipeWire a level may yet be replaced by what a failed run has left", arguments: [80, 100])
  func replacedLater(shown: Int) throws {
    var failed = Baseline()
    failed.record(Self.volume, before: Self.level(80), ours: Self.level(80))
    failed.expect([Self.level(60), Self.level(80)], of: failed.entries[0])
    var (baseline, late) = (failed, failed)
    late.settle(in: Self.snapshot(shown, on: .pipewire))
    #expect(late.entries == failed.entries)
    var input = PlanInput(mode: AudioMode(), snapshot: Self.snapshot(60, on: .pipewire))
    input.baseline = late
    #expect(try Plan.make(input).steps.map(\.to) == [Self.level(80)])
    late.settle(in: Self.snapshot(80, on: .pipewire), written: [Self.volume])
    baseline.settle(in: Self.snapshot(80))
    #expect(late.isEmpty && baseline.isEmpty)
  }

  @Test("a device that returned is restored, also by the run after one that was cut short")
  func returnedAndCutShort() throws {
    var input = PlanInput(mode: AudioMode(), snapshot: Self.snapshot(50))
    input.baseline.record(Self.volume, before: Self.level(100), ours: nil)
    var loop = Reconciler(input, isRestoring: true)
    _ = try loop.next(isStopped: false, isLate: false)
    try loop.didRead(input.snapshot)
    guard case .save(let saved) = try loop.next(isStopped: false, isLate: false) else {
      Issue.record("nothing was saved before the first step")
      return
    }
    input.baseline = saved
    #expect(try Plan.make(input).steps.map(\.to) == [Self.level(100)])
  }

  /// A file with an entry of this version, and with a setting and a value that it does not know.
  private static func newerFile() throws -> String {
    var text = String(decoding: try JSON.encode(cutShort), as: UTF8.self)
    let newer = [
      #"{"setting":{"loudness":{"_0":"input","device":"mic \"1\""}},"before":{"curve":{"_0":[1.50,null,true]}},"extra":{}}"#,
      #"{"setting":{"volume":{"_0":"input","device":"mic"}},"before":{"decibels":{"_0":-3}}}"#,
    ]
    let end = try #require(text.ranges(of: "]}").last)
    text.replaceSubrange(end.lowerBound..<end.lowerBound, with: "," + newer.joined(separator: ","))
    return text
  }

  @Test("what a newer version recorded is kept as it is, and what is known is restored")
  func newerVersion() throws {
    let text = try Self.newerFile()
    let baseline = try JSON.decode(Baseline.self, from: text.utf8)
    #expect(baseline.entries == Self.cutShort.entries)
    #expect(baseline.newer.count == 2)
    #expect(String(decoding: try JSON.encode(baseline), as: UTF8.self) == text)
    var input = PlanInput(mode: AudioMode(), snapshot: Self.snapshot(60))
    input.baseline = baseline
    let plan = try Plan.make(input)
    #expect(plan.steps.map(\.to) == [Self.level(100)])
    #expect(plan.left == [try #require(baseline.newerNote)])
    #expect(plan.left.first?.hasPrefix("2 settings were recorded by a newer version") == true)
    // The run that restores keeps them, too.
    var loop = Reconciler(input, isRestoring: true)
    try loop.didRead(Self.snapshot(60))
    #expect(loop.stored.newer == baseline.newer)
    var left = loop.stored
    left.settle(in: Self.snapshot(100))
    left = left.pending(in: Self.snapshot(100))
    #expect(left.entries.isEmpty && left.newer == baseline.newer && !left.isEmpty)
  }

  @Test(
    "what is no entry of any version is damage",
    arguments: [
      "{}", #"{"entries":[1]}"#, #"{"entries":[{"setting":"volume","before":{}}]}"#,
      #"{"entries":[{"setting":{},"before":{}}]}"#, #"{"entries":[{"setting":{"x":{}}}]}"#, "[]",
    ])
  func damaged(_ text: String) {
    #expect(throws: (any Error).self) { try JSON.decode(Baseline.self, from: text.utf8) }
  }
}
