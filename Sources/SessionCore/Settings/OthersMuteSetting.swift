import PulseTypes

/// The mute of another program's playback stream.
struct OthersMuteSetting: OthersStreamSettingKind {
  let index: Index<Stream>

  var label: String { "mute" }

  func read(_ snapshot: ServerSnapshot) -> SettingValue? {
    snapshot.stream(.output, at: index).map { .flag($0.isMuted) }
  }

  func predict(_ value: SettingValue, in server: inout PredictedServer) {
    guard case .flag(let flag) = value else { return }
    server.edit(.output, index) { $0.isMuted = flag }
  }

  func requests(for value: SettingValue, in snapshot: ServerSnapshot) -> [ServerRequest]? {
    guard case .flag(let flag) = value else { return nil }
    return [.setStreamMute(index, flag)]
  }
}
