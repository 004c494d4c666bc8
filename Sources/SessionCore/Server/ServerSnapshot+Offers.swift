public import PulseTypes

extension ServerSnapshot {
  /// Whether a device of a direction exists, or a card profile would create one.
  package func canServe(_ direction: Direction) -> Bool {
    !hardware(direction).isEmpty
      || cards.contains { !predictedCandidates(direction, on: $0).isEmpty }
  }

  /// Whether cards, profiles, devices or ports differ from those of another snapshot.
  package func hasOtherDevices(than other: ServerSnapshot) -> Bool {
    guard !surelyHasAttachments(of: other), !listsSameNames(as: other) else { return false }
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

  /// Whether what has a name is the same in the same order; takes less time than the names.
  private func listsSameNames(as other: ServerSnapshot) -> Bool {
    cards.elementsEqual(other.cards) { one, other in
      one.name == other.name && one.activeProfile == other.activeProfile && one.offers(as: other)
        && one.ports.elementsEqual(other.ports) {
          $0.name == $1.name && $0.availability == $1.availability
        }
    }
      && Direction.allCases.allSatisfy { direction in
        devices(direction).elementsEqual(other.devices(direction)) {
          $0.name == $1.name && $0.monitor == $1.monitor
            && $0.properties[Owned.roleKey] == $1.properties[Owned.roleKey]
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
      var preferences = AudioMode().preferences(.input)
      preferences.polarPattern = pattern
      return (try? ChannelRouting.make(preferences, on: self)) != nil
    }
  }
}
