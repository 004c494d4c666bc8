import AudioSession

/// What of the product can be had on which server: written down, and never found out by a failure.
/// The table in README.md is this one (`FeatureTests`).
enum Feature: String, CaseIterable {
  case devices = "preferred input and output"
  case channels = "channel map, pattern, orientation"
  case levels = "gain, volume, mute"
  case moves = "running streams moved"
  case rate = "sample rate"
  case rateWhileRunning = "… while something runs"
  case buffer = "IO buffer, held for everyone"
  case latencyReadback = "… read back from the device"
  case upkeep = "kept, healed, fights left"
  case restart = "made anew after a restart"
  case revert = "rollback and revert"
  case store = "between processes"
  case streams = "capture, recorder, player, notes"
  case echo = "echo cancelling"
  case measurement = "processing found for measurement"
  case others = "others silenced or lowered"
  case speaker = "the speaker for calls; port override"
  case scope = "scope `application`"
  case multiRoute = "several outputs at once"
  case cards = "card profiles, ports, jacks"
  case bluetooth = "Bluetooth: calls and music"
  case codecs = "… codecs"
  case sound = "what is heard, channel by channel"
  case doctor = "`doctor` and `explain`"

  enum Support: Equatable {
    case yes
    /// What the server has instead, as people read it.
    case no(String)
  }

  func support(on kind: ServerKind) -> Support {
    switch (self, kind) {
    case (.rateWhileRunning, .pulseaudio): .no("no: when idle")
    case (.latencyReadback, .pipewire): .no("no: it says 0")
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
