package import PulseTypes

/// The levels and latency offsets that the session has set on devices under the current mode, with
/// their last seen values.
///
/// A device gets the mode's volume, mute and latency offset when the session first uses it, and each
/// of its ports does when it is first in use, because servers keep separate ones for every port. Later changes
/// by the user stay, even if the device returns from a replug with other levels. An apply starts
/// without charges.
package struct Charges: Sendable, Hashable, Codable {
  /// One level of a device, on one of its ports.
  struct Charge: Sendable, Hashable, Codable {
    var setting: Setting
    var port: String?
    /// The last seen value.
    var value: SettingValue
    /// The device's index; nil once the device was unplugged or its port is no longer in use: the
    /// server chooses the value with which it returns.
    var device: Index<Device>?
    /// Until when the server may restore its stored value on a new device; nil once it has, or if
    /// it restores values before it shows a device.
    var settlesAt: Duration?
    /// Whether that has happened since the device was added.
    var isRestored = false

    /// The device has levels of its own again, and gets the last seen one.
    mutating func leave(isRestored: Bool = false) {
      (device, settlesAt, self.isRestored) = (nil, nil, isRestored)
    }
  }

  /// How long PipeWire's session manager may restore values after an object was added, or after its
  /// own start.
  static let settling = Duration.seconds(5)

  private(set) var charges: [Charge] = []

  func charge(of setting: Setting, port: String?) -> Charge? {
    charges.first { $0.setting == setting && $0.port == port }
  }

  /// Follows the values that users give to these levels.
  ///
  /// PipeWire's session manager restores levels a moment after it shows a device: the first change
  /// on a new device counts as restored, not as the user's.
  package mutating func follow(_ snapshot: ServerSnapshot, at now: Duration = .zero) {
    for at in charges.indices {
      let charged = charges[at].setting.kind.charged(in: snapshot)
      guard charges[at].device != nil || !charges[at].isRestored || charged == nil else { continue }
      guard let device = charged, device.activePort == charges[at].port,
        device.index == charges[at].device,
        let value = snapshot.value(of: charges[at].setting)
      else {
        charges[at].leave()
        continue
      }
      guard value != charges[at].value else { continue }
      if let end = charges[at].settlesAt, now < end {
        charges[at].leave(isRestored: true)
      } else {
        charges[at].value = value
      }
    }
  }

  /// Forgets levels that the session itself has changed since, as by restoring them: they are set
  /// again.
  package mutating func forget(_ settings: Set<Setting>) {
    charges.removeAll { settings.contains($0.setting) }
  }

  /// The same for devices that have their own levels again: each gets the last seen ones.
  package func returning() -> Charges {
    var result = self
    for at in result.charges.indices { result.charges[at].leave() }
    return result
  }

  /// Whether the server has restored a level of a device that has just been added: the mode's is set again.
  var areRestored: Bool { charges.contains { $0.isRestored && $0.device == nil } }

  /// Notes that levels were set on their devices.
  ///
  /// - Parameters:
  ///   - written: those that were written just now; of the others a later reading may be known already.
  ///     Nil is all.
  ///   - arrival: when they were set, if the devices may have just been added.
  package mutating func take(
    _ settings: [Setting], in snapshot: ServerSnapshot, written: Set<Setting>? = nil,
    arrival: Duration? = nil
  ) {
    for setting in settings {
      guard let device = setting.kind.charged(in: snapshot), !Owned.isName(device.name),
        let value = snapshot.value(of: setting)
      else { continue }
      let former = charge(of: setting, port: device.activePort)
      if former?.device == device.index, written?.contains(setting) == false { continue }
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
  /// The device whose volume or mute a setting is; nil for other settings.
  func device(ofLevel setting: Setting) -> Device? {
    setting.isLevel ? device(of: setting) : nil
  }
}
