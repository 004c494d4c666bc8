import PulseTypes

struct OthersVolumeSetting: OthersStreamSettingKind {
  let index: Index<Stream>

  var label: String { "volume" }

  func read(_ snapshot: ServerSnapshot) -> SettingValue? {
    snapshot.stream(.output, at: index)?.volume.map { .volume($0) }
  }

  func predict(_ value: SettingValue, in server: inout PredictedServer) {
    guard case .volume(let volume) = value else { return }
    server.edit(.output, index) { $0.volume = volume }
  }

  func requests(for value: SettingValue, in snapshot: ServerSnapshot) -> [ServerRequest]? {
    guard case .volume(let volume) = value else { return nil }
    return [.setStreamVolume(index, volume)]
  }
}
