package import PulseTypes

extension ServerSnapshot {
  /// Whether a step's postcondition holds.
  ///
  /// A profile's label alone is not believed: its devices must be there. A stream that ended needs
  /// no moving.
  package func satisfies(_ step: Step) -> Bool {
    let now = value(of: step.setting)
    switch step.setting {
    case .stream, .othersMute, .othersVolume: return now == nil || now == step.to
    case .cardProfile(let name), .codec(let name):
      guard now == step.to, let card = card(named: name),
        let profile = card.profiles.first(where: { $0.name == card.activeProfile })
      else { return false }
      return Direction.allCases.allSatisfy { direction in
        let wanted = direction == .input ? profile.sourceCount : profile.sinkCount
        let there = devices(direction).filter { $0.card == card.index && !$0.isMonitor }
        return wanted == 0 || !there.isEmpty
      }
    default: return now == step.to
    }
  }
}
