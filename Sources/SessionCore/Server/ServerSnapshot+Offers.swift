public import PulseTypes

extension ServerSnapshot {
  /// Whether a device of a direction exists, or a card profile would create one.
  package func canServe(_ direction: Direction) -> Bool {
    !hardware(direction).isEmpty
      || cards.contains { !predictedCandidates(direction, on: $0).isEmpty }
  }

  /// Whether cards, profiles, devices or ports differ from those of another snapshot.
  package func hasOtherDevices(than other: ServerSnapshot) -> Bool {
    guard !surelyHasAttachments(of: other) else { return false }
    return hasOtherProfiles(than: other) || names != other.names
  }

  /// Whether a card is there, or on a profile, that another snapshot does not have; takes less time
  /// than the names, and a holder puts a profile back only after it.
  private func hasOtherProfiles(than other: ServerSnapshot) -> Bool {
    cards.contains { card in
      !other.cards.contains {
        $0.name == card.name && $0.activeProfile == card.activeProfile && $0.offers(as: card)
      }
    }
  }

  package var deviceNames: Set<String> { Set((sources + sinks).map(\.name)) }

  private var names: Set<String> {
    var result: Set<String> = []
    for card in cards {
      result.insert("card \(card.name) \(card.activeProfile ?? "")")
      for port in card.ports {
        result.insert("port \(card.name) \(port.name) \(port.availability.rawValue)")
      }
    }
    for direction in Direction.allCases {
      for device in hardware(direction) {
        result.insert("\(direction.rawValue) \(device.name)")
      }
    }
    return result
  }
}

extension Card {
  /// Whether the same profiles can be chosen; a headset may get that of its microphone later.
  fileprivate func offers(as other: Card) -> Bool {
    profiles.elementsEqual(other.profiles) {
      $0.name == $1.name && $0.isAvailable == $1.isAvailable
    }
  }
}

extension Device {
  /// The polar patterns that its channels support; empty for an output.
  public var polarPatterns: [PolarPattern] {
    guard direction == .input else { return [] }
    return PolarPattern.allCases.filter { pattern in
      var mode = AudioMode()
      mode.polarPattern = pattern
      return (try? ChannelRouting.make(mode.preferences(.input), on: self)) != nil
    }
  }
}
