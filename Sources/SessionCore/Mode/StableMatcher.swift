package import PulseTypes

extension ServerSnapshot {
  /// A matcher for a device that remains valid over replugs, restarts and other sound cards.
  ///
  /// Prefers a serial number, then vendor and product, then the place of the connector, then the
  /// name; a virtual device has only its name. Adds more only if it would match two devices: the
  /// place for two of a kind, the mapping for two devices of one card. Nil if no profile can
  /// contain the name.
  ///
  /// - Parameter isItself: whether to match only this device, instead of any device of its card.
  package func stableMatcher(for device: Device, isItself: Bool = true) -> DeviceMatcher? {
    guard !device.isMonitor, let card = card(of: device) else { return .exactly(device.name) }
    let others = devices(device.direction).filter {
      !$0.isMonitor && !isOwned($0) && $0.card != device.card
    }
    for keys in Self.identities {
      guard var properties = device.values(of: keys) else { continue }
      func isAlone() -> Bool {
        !others.contains(where: DeviceMatcher.properties(properties).predicate)
      }
      if !isAlone(), let place = device.values(of: Self.busPath) ?? device.values(of: Self.busPath2)
      {
        properties.merge(place) { own, _ in own }
      }
      guard isAlone() else { continue }
      return isItself ? matcher(properties, device, card) : .properties(properties)
    }
    return .exactly(device.name)
  }

  private static let busPath = ["device.bus_path"]
  private static let busPath2 = ["device.bus-path"]

  /// The identifying properties, the most specific first; both spellings of the place.
  private static let identities = [
    ["device.serial"], ["device.vendor.id", "device.product.id", "device.bus"], busPath, busPath2,
    ["device.bus", "device.form_factor"],
  ]

  /// A matcher for the properties and, if the card has more devices of the direction, for this one
  /// of them.
  private func matcher(
    _ properties: [String: String], _ device: Device, _ card: Card
  ) -> DeviceMatcher {
    let names = Set(card.profiles.flatMap { card.deviceNames(device.direction, profile: $0) })
    let distinct = names.filter { !$0.hasSuffix(".pro-audio") && !$0.hasSuffix(".off") }
    guard distinct.count > 1 || !distinct.contains(device.name) else {
      return .properties(properties)
    }
    if !card.isBluetooth,
      let both = device.values(of: properties.keys + ["device.profile.name"])
    {
      return .properties(both)
    }
    guard let name = DeviceMatcher.exactly(device.name) else { return .properties(properties) }
    // What precedes the last part is the card's, and changes with its place.
    let part = device.name.lastIndex(of: ".").map { Glob.escaped(String(device.name[$0...])) }
    return .all([.properties(properties), part.map { .name("*" + $0) } ?? name])
  }
}

extension Device {
  /// The values of all the keys as patterns for exactly these values; nil if one is missing.
  fileprivate func values(of keys: [String]) -> [String: String]? {
    // The string of an ALSA device is its number, which changes; that of a Bluetooth device is its
    // address.
    let isBluetooth = properties["device.bus"] == "bluetooth"
    let keys = isBluetooth && keys == ["device.serial"] ? ["device.string"] : keys
    var result: [String: String] = [:]
    for key in keys {
      guard let value = properties[key], DeviceMatcher.isSayable(value) else { return nil }
      result[key] = Glob.escaped(value)
    }
    return result
  }
}

extension DeviceMatcher {
  /// A device by its complete name; nil if no profile can contain it.
  fileprivate static func exactly(_ name: String) -> DeviceMatcher? {
    guard isSayable(name) else { return nil }
    // The plain word would mean another device.
    return .name(name == "default" ? "[d]efault" : Glob.escaped(name))
  }

  /// Whether a profile can contain the value.
  static func isSayable(_ value: String) -> Bool {
    !value.isEmpty && Glob.escaped(value).utf8.count <= 256
      && value.unicodeScalars.allSatisfy { !$0.isControl }
  }
}
