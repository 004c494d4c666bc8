import PulseTypes

struct LatencyOffsetSetting: CardPortSettingKind {
  let card: String
  let port: String

  var label: String { "latency offset" }

  func property(in snapshot: ServerSnapshot) -> Property {
    .latencyOffset(found(in: snapshot)?.direction ?? .input)
  }

  func read(_ snapshot: ServerSnapshot) -> SettingValue? {
    found(in: snapshot).map { .duration($0.latencyOffset) }
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

  /// A device that stores no offset simply does not change.
  func patience(isLazy: Bool) -> Duration? { isLazy ? .seconds(2) : .milliseconds(250) }
}
