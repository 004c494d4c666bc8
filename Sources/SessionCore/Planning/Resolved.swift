import PulseTypes

/// What a wish means on this machine, found by reading alone.
struct Resolved {
  /// The device, or what a profile will make.
  var device: Device
  var card: Card?
  /// The preferred port, if any.
  var port: Port?
  /// The profiles that have the device and the port; empty without a card.
  var profiles: [String]
  /// Whether nothing but the default was asked for.
  var isDefault = false

  var name: String { device.name }
}
