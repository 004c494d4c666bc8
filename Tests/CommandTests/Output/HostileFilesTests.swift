import AudioSession
import JSONCoding
import PulseTypes
import TestSupport
import Testing

@testable import audiosession

/// What another process wrote, with any number in it, is refused or shown.
@Suite("What hostile files say")
struct HostileFilesTests {
  private static let spec = SampleSpec(format: .s16le, rate: 44100, channels: 2)

  private static let input: PlanInput = {
    let port = DevicePort(
      name: "mic-0", direction: .input, priority: 3, kind: .mic, profiles: ["p"],
      latencyOffset: .milliseconds(3))
    var source = Device(
      direction: .input, index: Index(1), name: "mic", sampleSpec: spec, channelMap: .stereo,
      card: Index(0), ports: [port], activePort: port.name)
    source.configuredLatency = .milliseconds(25)
    let sink = Device(
      direction: .output, index: Index(2), name: "speakers", sampleSpec: spec, channelMap: .stereo)
    let card = Card(
      index: Index(0), name: "card",
      profiles: [CardProfile(name: "p", sinkCount: 0, sourceCount: 1, priority: 5)],
      activeProfile: "p", ports: [port])
    let snapshot = ServerSnapshot(
      server: ServerInfo(
        name: "pulseaudio", version: "16.1", sampleSpec: spec, channelMap: .stereo,
        defaultSinkName: "speakers", defaultSourceName: "mic", cookie: 1),
      cards: [card], sinks: [sink], sources: [source])
    var mode = AudioMode(category: .playAndRecord)
    mode.sampleRate = 48000
    mode.ioBufferDuration = .milliseconds(10)
    mode.inputGain = Volume(fraction: 0.3)
    mode.inputLatencyOffset = .milliseconds(20)
    return PlanInput(mode: mode, snapshot: snapshot)
  }()

  @Test("a status of a holder")
  func states() throws {
    var state = SessionState(
      input: Self.input, mode: Self.input.mode,
      server: .init(kind: .pulseaudio, name: "n", version: "1", address: "a"), profile: "p",
      active: true)
    (state.resets, state.reapplies) = (2, 3)
    state.holder = SessionState.Holder(pid: 5, name: "h", since: "2026-11-22T10:00:00Z")
    state.events = [TimedEvent(time: "2026-11-22T10:00:00Z", event: .reapplied(.milliseconds(12)))]
    var texts = HostileTexts(try JSONCoding.JSON.encode(state), seed: 1)
    var read = 0
    for _ in 0..<HostileTexts.count(500) {
      guard let state = try? JSONCoding.JSON.decode(SessionState.self, from: texts.next()) else {
        continue
      }
      read += 1
      _ = StateView.lines(state, width: 60) + OverviewView.lines(state, width: 60)
      _ = ApplyNotes.warnings(state) + ApplyNotes.notes(state)
      _ = try JSONText.encode(state)
    }
    #expect(read > 100)
  }

  @Test("a state that was restored as often as numbers go")
  func counts() {
    var state = SessionState(
      input: Self.input, mode: Self.input.mode, server: nil, profile: nil, active: true)
    (state.resets, state.reapplies) = (.max, .max)
    #expect(!StateView.lines(state, width: nil).isEmpty)
  }

  @Test("a trace")
  func traces() throws {
    let entry = TraceEntry.planned(Self.input, try Plan.make(Self.input))
    let line = TraceLine(time: "2026-11-22T10:00:00Z", entry: entry)
    var texts = HostileTexts(try JSONCoding.JSON.encode(line), seed: 1)
    var read = 0
    for _ in 0..<HostileTexts.count(500) {
      guard let line = try? JSONCoding.JSON.decode(TraceLine.self, from: texts.next()) else {
        continue
      }
      read += 1
      let entries = [ReplayEntry(line)]
      _ = ReplayView.lines(entries, width: 60)
      _ = try JSONText.encode(entries.map(\.json))
    }
    #expect(read > 100)
  }
}
