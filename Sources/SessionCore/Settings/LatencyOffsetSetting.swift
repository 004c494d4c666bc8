import PulseTypes

struct LatencyOffsetSetting: SettingKind {
  let card: String
  let port: String

  var object: String { "\(card) \(port)" }
  var cardName: String? { card }
  var label: String { "latency offset" }
  var phase: Phase { .levels }
  var traits: SettingTraits { .outlivesSession }

  func property(in snapshot: ServerSnapshot) -> Property {
    .latencyOffset(found(in: snapshot)?.direction ?? .input)
  }

  private func found(in snapshot: ServerSnapshot) -> DevicePort? {
    snapshot.card(named: card)?.ports.first { $0.name == port }
  }

  func read(_ snapshot: ServerSnapshot) -> SettingValue? {
    found(in: snapshot).map { .duration($0.latencyOffset) }
  }

  func charged(in snapshot: ServerSnapshot) -> Device? {
    guard let card = snapshot.card(named: card), let direction = found(in: snapshot)?.direction
    else { return nil }
    return snapshot.devices(direction, of: card).first { device in
      device.ports.contains { $0.name == port }
    }
  }

  func predict(_ value: SettingValue, in server: inout PredictedServer) {
    guard case .duration(let offset) = value,
      let at = server.snapshot.cards.firstIndex(where: { $0.name == card }),
      let p = server.snapshot.cards[at].ports.firstIndex(where: { $0.name == port })
    else { return }
    server.snapshot.cards[at].ports[p].latencyOffset = offset
  }

  func requests(for value: SettingValue, in snapshot: ServerSnapshot) -> [ServerRequest]? {
    guard case .duration(let offset) = value else { return nil }
    return [.setPortLatencyOffset(card: card, port: port, offset)]
  }

  func written(in snapshot: ServerSnapshot) -> [ObjectID] { snapshot.object(ofCard: card) }

  /// A device that stores no offset simply does not change.
  func patience(isLazy: Bool) -> Duration? { isLazy ? .seconds(2) : .milliseconds(250) }
}
