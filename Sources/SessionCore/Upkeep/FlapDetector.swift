package import PulseTypes

/// A place where something is plugged in: a device without a card, a card, a connector of a card.
package enum Attachment: Sendable, Hashable, Codable {
  case device(String)
  case card(String)
  case port(card: String, port: String)
}

/// Notices devices that are unplugged and plugged in repeatedly (they *flap*), so that a better-ranked
/// device is used only when it is steady.
///
/// Pure: time is a parameter, counted from any fixed moment. A device that returns for the first time is
/// used at once; one that was removed twice within `window` is used after `grace`.
package struct FlapDetector: Sendable, Hashable {
  /// This many removals within `window` make it unsteady.
  package static let limit = 2
  /// The time in which they count.
  package static let window = Duration.seconds(10)
  /// How long something unsteady must be present to count as steady.
  package static let grace = Duration.seconds(3)

  private struct Record: Sendable, Hashable {
    var departures: [Duration] = []
    var steadyFrom: Duration?
  }

  private var present: Set<Attachment> = []
  private var records: [Attachment: Record] = [:]

  /// Begins without history: everything present at first is steady.
  package init() {}

  /// Compares what is present now with the last call.
  package mutating func note(_ now: Set<Attachment>, at time: Duration) {
    for spot in present.subtracting(now) {
      var record = records[spot] ?? Record()
      record.departures.removeAll { time - $0 >= Self.window }
      record.departures.append(time)
      record.steadyFrom = nil
      records[spot] = record
    }
    for spot in now.subtracting(present) {
      guard let departures = records[spot]?.departures,
        departures.count(where: { time - $0 < Self.window }) >= Self.limit
      else { continue }
      records[spot]?.steadyFrom = time + Self.grace
    }
    present = now
    records = records.filter { spot, record in
      record.departures.contains { time - $0 < Self.window }
        || record.steadyFrom.map { time < $0 } == true
    }
  }

  /// What is present but still unsteady.
  package func unsteady(at time: Duration) -> Set<Attachment> {
    Set(records.filter { $0.value.steadyFrom.map { time < $0 } == true }.keys)
  }

  /// When the next of them becomes steady; nil if there is none.
  package func nextEnd(after time: Duration) -> Duration? {
    records.values.compactMap(\.steadyFrom).filter { $0 > time }.min()
  }

  /// Forgets everything, after a user or program has applied a mode.
  package mutating func forget() { records = [:] }
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
