package import PulseTypes

/// Notices cards that were just added, for which PipeWire's session manager has not chosen a profile
/// yet.
///
/// Such a card is off at first, which no user chose: if the session sets its profile before the
/// session manager does, there is no previous value to restore. The cards of the first note are decided.
/// Pure: time is a parameter.
package struct ArrivalWatch: Sendable {
  private var cards: [String: Record] = [:]
  private var isFirst = true

  private struct Record {
    var since: Duration
    var isDecided: Bool
  }

  /// Notes that the server was lost: after its restart every card is a new one.
  package mutating func noteLoss() { cards = [:] }

  /// Compares the cards with those of the last call.
  package mutating func note(_ snapshot: ServerSnapshot, at now: Duration) {
    let former = cards
    cards = [:]
    for card in snapshot.cards {
      let since = former[card.name]?.since ?? now
      let isDecided =
        isFirst || former[card.name]?.isDecided == true || !card.isOff
        || !snapshot.has(.lateRestoring) || now - since >= Charges.settling
      cards[card.name] = Record(since: since, isDecided: isDecided)
    }
    isFirst = false
  }

  /// The cards whose profile counts; one that is not noted yet was just added.
  package var decided: Set<String> { Set(cards.filter(\.value.isDecided).keys) }
}

extension Card {
  /// Whether its profile has no devices.
  var isOff: Bool { active?.hasNoDevices ?? true }
}

extension CardProfile {
  /// Whether it is one that switches the card off.
  var hasNoDevices: Bool { sinkCount + sourceCount == 0 }
}

extension PlanInput {
  /// Whether a setting is a profile that was not chosen yet: that the card is off is no previous
  /// value.
  func isUndecided(_ setting: Setting) -> Bool {
    guard let decidedCards, snapshot.has(.lateRestoring), case .cardProfile(let name) = setting
    else { return false }
    return !decidedCards.contains(name) && snapshot.card(named: name)?.isOff == true
  }
}
