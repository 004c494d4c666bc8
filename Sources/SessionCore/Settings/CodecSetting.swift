import PulseTypes

struct CodecSetting: CardSettingKind {
  let card: String

  var label: String { "codec" }

  func property(in snapshot: ServerSnapshot) -> Property { .outputCodec }

  func read(_ snapshot: ServerSnapshot) -> SettingValue? {
    snapshot.card(named: card).map { $0.activeCodec.map(SettingValue.name) ?? .absent }
  }

  /// Another profile has other codecs.
  func restorable(_ before: SettingValue, in planner: Planner) -> SettingValue? {
    let offered = planner.server.snapshot.card(named: card)?.codecs ?? []
    guard case .name(let codec) = before, offered.contains(where: { $0.name == codec }),
      !planner.server.changedCards.contains(card)
    else { return nil }
    return before
  }

  func predicted(in server: PredictedServer) -> SettingValue? {
    server.changedCards.contains(card) ? nil : read(server.snapshot)
  }

  func isDeferred(to value: SettingValue, in server: PredictedServer) -> Bool {
    server.changedCards.contains(card)
  }

  func predict(_ value: SettingValue, in server: inout PredictedServer) {
    guard case .name(let codec) = value,
      let at = server.snapshot.cards.firstIndex(where: { $0.name == card })
    else { return }
    server.snapshot.cards[at].activeCodec = codec
  }

  func requests(for value: SettingValue, in snapshot: ServerSnapshot) -> [ServerRequest]? {
    guard case .name(let name) = value else { return nil }
    let codec = snapshot.card(named: card)?.codecs?.first { $0.name == name }
    return [.switchCodec(card: card, codec?.serverName ?? name)]
  }
}
