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
    return names != other.names
  }

  /// The names of all sources and sinks.
  package var deviceNames: Set<String> { Set((sources + sinks).map(\.name)) }

  private var names: Set<String> {
    var result: Set<String> = []
    for card in cards {
      result.insert("card \(card.name) \(card.activeProfile ?? "")")
      for port in card.ports {
        result.insert("port \(card.name) \(port.name) \(port.availability)")
      }
    }
    for direction in Direction.allCases {
      for device in hardware(direction) { result.insert("\(direction) \(device.name)") }
    }
    return result
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
