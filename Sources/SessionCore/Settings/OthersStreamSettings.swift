import PulseTypes

/// The mute of another program's playback stream, if no module of the server silences others.
struct OthersMuteSetting: SettingKind {
  let index: Index<Stream>

  var object: String { "sink input \(index)" }
  var otherStream: Index<Stream>? { index }
  var label: String { "mute" }
  var phase: Phase { .levels }
  var traits: SettingTraits { [.stream, .others, .isLostAtTimes] }

  func devices(under value: SettingValue) -> [NamedDevice] { [] }

  func property(in snapshot: ServerSnapshot) -> Property { .options }

  func read(_ snapshot: ServerSnapshot) -> SettingValue? {
    snapshot.stream(.output, at: index).map { .flag($0.isMuted) }
  }

  func predict(_ value: SettingValue, in server: inout PredictedServer) {
    guard case .flag(let flag) = value else { return }
    server.edit(index) { $0.isMuted = flag }
  }

  func requests(for value: SettingValue, in snapshot: ServerSnapshot) -> [ServerRequest]? {
    guard case .flag(let flag) = value else { return nil }
    return [.setStreamMute(index, flag)]
  }

  func written(in snapshot: ServerSnapshot) -> [ServerObject] { [.stream(.output, index)] }

  /// A stream that has ended needs nothing.
  func isMet(_ value: SettingValue, in snapshot: ServerSnapshot) -> Bool {
    let now = read(snapshot)
    return now == nil || now == value
  }
}

/// The volume of another program's playback stream, if no module of the server ducks others.
struct OthersVolumeSetting: SettingKind {
  let index: Index<Stream>

  var object: String { "sink input \(index)" }
  var otherStream: Index<Stream>? { index }
  var label: String { "volume" }
  var phase: Phase { .levels }
  var traits: SettingTraits { [.stream, .others, .isLostAtTimes] }

  func devices(under value: SettingValue) -> [NamedDevice] { [] }

  func property(in snapshot: ServerSnapshot) -> Property { .options }

  func read(_ snapshot: ServerSnapshot) -> SettingValue? {
    snapshot.stream(.output, at: index)?.volume.map { .volume($0) }
  }

  func predict(_ value: SettingValue, in server: inout PredictedServer) {
    guard case .volume(let volume) = value else { return }
    server.edit(index) { $0.volume = volume }
  }

  func requests(for value: SettingValue, in snapshot: ServerSnapshot) -> [ServerRequest]? {
    guard case .volume(let volume) = value else { return nil }
    return [.setStreamVolume(index, volume)]
  }

  func written(in snapshot: ServerSnapshot) -> [ServerObject] { [.stream(.output, index)] }

  func isMet(_ value: SettingValue, in snapshot: ServerSnapshot) -> Bool {
    let now = read(snapshot)
    return now == nil || now == value
  }
}
