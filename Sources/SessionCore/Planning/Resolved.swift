import PulseTypes

/// The device for a mode on this machine, found by reading alone.
struct Resolved {
  /// The device, or the one that a profile will create.
  var device: Device
  var card: Card?
  /// The preferred port, if any.
  var port: DevicePort?
  /// The profiles that have the device and the port; empty without a card.
  var profiles: [String]
  /// Whether the mode asks only for the default.
  var isDefault = false

  var name: String { device.name }
}
