import AudioSession
import TestSupport

/// What the product offers on which server: written down, never found out by a failure. The table of
/// the page "PulseAudio and PipeWire" (`Servers.md`) is this one (`FeatureTests`).
enum Feature: String, CaseIterable {
  case devices = "preferred input and output"
  case channels = "channel map, pattern, orientation"
  case levels = "gain, volume, mute"
  case moves = "running streams are moved"
  case rate = "sample rate"
  case rateWhileRunning = "… while a stream runs"
  case buffer = "IO buffer, held for every program that asks for one"
  case bufferOfAll = "… and for streams that ask for none"
  case latencyReadback = "… read back from the device"
  case upkeep = "maintained; conflicts left alone for a while"
  case restart = "restored after a server restart"
  case revert = "rollback and revert"
  case store = "one session for all processes"
  case streams = "capture, recorder, player, synthesizer"
  case echo = "echo cancelling"
  case measurement = "the mode `measurement` detects processing"
  case others = "other programs silenced or ducked"
  case speaker = "the speaker for calls, and the port override"
  case scope = "scope `application`"
  case multiRoute = "several outputs at once"
  case cards = "card profiles, ports, jacks"
  case bluetooth = "Bluetooth: calls and music"
  case codecs = "… codecs"
  case sound = "sound checked channel by channel"
  case doctor = "`doctor` and `explain`"

  enum Support: Equatable {
    case yes
    /// What the server has instead, as people read it.
    case no(String)
  }

  func support(on kind: ServerKind) -> Support {
    switch (self, kind) {
    case (.rateWhileRunning, .pulseaudio): .no("no: only when idle")
    case (.bufferOfAll, .pipewire): .no("no: up to 16384 frames at once")
    case (.latencyReadback, .pipewire): .no("no: it reports 0")
    default: .yes
    }
  }

  /// The test that shows it on the servers that have it.
  var test: String {
    switch self {
    case .devices, .channels, .levels: "ApplyTests.everything"
    case .moves: "ServersTests.moves"
    case .rate: "ServersTests.rate"
    case .rateWhileRunning: "GraphTests.pin"
    case .buffer: "ServersTests.buffer"
    case .bufferOfAll: "MeasurementTests.measures"
    case .latencyReadback: "HintTests.pin"
    case .upkeep: "UpkeepTests.defaultHeals"
    case .restart: "UpkeepTests.restart"
    case .revert: "ApplyTests.backToBefore"
    case .store: "StoreTests.laterState"
    case .streams: "StreamServersTests"
    case .echo: "EchoTests.echo"
    case .measurement: "ModeTests.measurement"
    case .others: "OthersTests.treated"
    case .speaker: "OthersTests.override"
    case .scope: "ApplicationScopeTests.ownStreams"
    case .multiRoute: "MultiRouteTests.heard"
    case .cards: "ApplyTests.planIsKept"
    case .bluetooth: "HeadsetTests.record"
    case .codecs: "HeadsetTests.codecs"
    case .sound: "SoundTests.channelMap"
    case .doctor: "DoctorTests.heard"
    }
  }

  /// The machines that a test of the feature runs on.
  var machines: [Machine] {
    [Machine.desktop, .graph].filter { support(on: $0.kind) == .yes }
  }

  /// The servers that a test of the feature runs on.
  var servers: [ServerKind] { machines.map(\.kind) }
}
