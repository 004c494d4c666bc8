package import PulseTypes

/// A place where something is plugged in: a device without a card, a card, a connector of a card.
package enum Attachment: Sendable, Hashable, Codable {
  case device(String)
  case card(String)
  case port(card: String, port: String)
}

extension ServerSnapshot {
  /// Whether the same is known to be present as in another snapshot; false if that is unknown.
  package func surelyHasAttachments(of other: ServerSnapshot) -> Bool {
    surelyHasDevices(of: other) && cards == other.cards && hasPorts(of: other, .input)
      && hasPorts(of: other, .output)
  }

  private func hasPorts(of other: ServerSnapshot, _ direction: Direction) -> Bool {
    // By their places: a device is large to copy.
    let (devices, others) = (devices(direction), other.devices(direction))
    let isSameList = devices.withUnsafeBufferPointer { one in
      others.withUnsafeBufferPointer { one.baseAddress == $0.baseAddress }
    }
    return isSameList
      || zip(devices.indices, others.indices).allSatisfy { devices[$0].ports == others[$1].ports }
  }

  /// What is present: usable connectors of cards, cards, and devices without a card.
  ///
  /// A device and its card have the same connectors, each with its own event, so that in between
  /// one of them is outdated. The device's counts, as it does where a device is chosen: otherwise the
  /// mode would use one that has just returned before that was noted here. That also holds for a
  /// device that is gone, though the card's profile has its connectors: PipeWire removes it first.
  package var attachments: Set<Attachment> {
    var result: Set<Attachment> = []
    func note(_ ports: [DevicePort], of card: Card) {
      for port in ports {
        let spot = Attachment.port(card: card.name, port: port.name)
        if port.availability.isUsable { result.insert(spot) } else { result.remove(spot) }
      }
    }
    for card in cards {
      result.insert(.card(card.name))
      let (inputs, outputs) = (devices(.input, of: card), devices(.output, of: card))
      note(
        card.ports.filter { port in
          card.activeProfile.map { !port.profiles.contains($0) } ?? true
            || (port.direction == .input ? inputs : outputs).contains {
              $0.ports.contains { $0.name == port.name }
            }
        }, of: card)
    }
    for devices in [sources, sinks] {
      for device in devices {
        if device.card == nil { result.insert(.device(device.name)) }
        if let card = card(of: device) { note(device.ports, of: card) }
      }
    }
    return result
  }
}

extension Candidate {
  /// Whether it, or each of its usable connectors, is still unsteady.
  func isUnsteady(_ unsteady: Set<Attachment>) -> Bool {
    guard !unsteady.isEmpty else { return false }
    guard let card else { return unsteady.contains(.device(name)) }
    if unsteady.contains(.card(card.name)) { return true }
    let ports = device.ports.filter(\.availability.isUsable)
    return !ports.isEmpty
      && ports.allSatisfy { unsteady.contains(.port(card: card.name, port: $0.name)) }
  }
}
