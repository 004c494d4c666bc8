public import PulseTypes

/// The levels that the session gave to devices under the mode in force, with their values as they were
/// last seen.
///
/// A device gets the mode's volume and mute when the session first uses it, and each of its ports does
/// when it is first in use: servers keep levels of their own for every port. What a person changes after
/// that stands, also when the device returns with other levels than it was unplugged with. An apply
/// begins without charges.
public struct Charges: Sendable, Hashable, Codable {
  /// One level of a device, on one of its ports.
  struct Charge: Sendable, Hashable, Codable {
    var setting: Setting
    var port: String?
    /// As it was last seen.
    var value: SettingValue
    /// The number of the device; nil once the device was unplugged, or its port no longer in use: what
    /// it has when it returns is the server's choice.
    var device: Index<Device>?
    /// Until when the server may still restore what it remembers of a device that has just arrived; nil
    /// once it has, or where it does so before it shows the device.
    var settlesAt: Duration?
    /// Whether that has happened since the device arrived.
    var isRestored = false
  }

  /// How long PipeWire's session manager may restore levels after a device has arrived.
  static let settling = Duration.seconds(5)

  private(set) var charges: [Charge] = []

  /// Begins with no device in charge.
  public init() {}

  /// The charge of a level while a port is in use.
  func charge(of setting: Setting, port: String?) -> Charge? {
    charges.first { $0.setting == setting && $0.port == port }
  }

  /// Follows the devices in charge: their levels are what people leave them at.
  ///
  /// PipeWire's session manager restores levels a moment after it shows a device: the first change of
  /// one that has just arrived is taken for that, and not for a person's.
  public mutating func follow(_ snapshot: ServerSnapshot, at now: Duration = .zero) {
    for at in charges.indices {
      guard charges[at].device != nil || !charges[at].isRestored else { continue }
      guard let device = snapshot.device(ofLevel: charges[at].setting),
        device.activePort == charges[at].port, device.index == charges[at].device,
        let value = snapshot.value(of: charges[at].setting)
      else {
        charges[at].device = nil
        charges[at].settlesAt = nil
        charges[at].isRestored = false
        continue
      }
      guard value != charges[at].value else { continue }
      if let end = charges[at].settlesAt, now < end {
        charges[at].device = nil
        charges[at].settlesAt = nil
        charges[at].isRestored = true
      } else {
        charges[at].value = value
      }
    }
  }

  /// Notes that levels were given to their devices.
  ///
  /// - Parameter arrival: when they were, where devices may have arrived just then.
  public mutating func take(
    _ settings: [Setting], in snapshot: ServerSnapshot, arrival: Duration? = nil
  ) {
    for setting in settings {
      guard let device = snapshot.device(ofLevel: setting), !Owned.isName(device.name),
        let value = snapshot.value(of: setting)
      else { continue }
      let former = charge(of: setting, port: device.activePort)
      var charge = Charge(
        setting: setting, port: device.activePort, value: value, device: device.index)
      if former?.device == device.index {
        charge.settlesAt = former?.settlesAt
      } else if former?.isRestored != true, snapshot.has(.lateRestoring) {
        charge.settlesAt = arrival.map { $0 + Self.settling }
      }
      charges.removeAll { $0.setting == setting && $0.port == device.activePort }
      charges.append(charge)
    }
  }
}

extension ServerSnapshot {
  /// The device whose volume or mute a setting is; nil of what is no level.
  func device(ofLevel setting: Setting) -> Device? {
    guard setting.isLevel, let device = setting.kind.device else { return nil }
    return self.device(device.direction, named: device.name)
  }
}
