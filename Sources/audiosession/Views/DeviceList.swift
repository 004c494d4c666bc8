import AudioSession
import PulseTypes

/// The JSON of `devices`; the help of the command describes its keys.
struct DeviceList: Encodable {
  let schema = 1
  let inputs: [DeviceItem]
  let outputs: [DeviceItem]
  let cards: [CardItem]

  /// - Parameter isWhole: whether to include monitors and the session's own devices.
  init(_ snapshot: ServerSnapshot, isWhole: Bool) {
    inputs = Self.items(.input, snapshot, isWhole)
    outputs = Self.items(.output, snapshot, isWhole)
    cards = snapshot.cards.map(CardItem.init)
  }

  private static func items(
    _ direction: Direction, _ snapshot: ServerSnapshot, _ isWhole: Bool
  ) -> [DeviceItem] {
    let devices = isWhole ? snapshot.devices(direction) : snapshot.hardware(direction)
    let route = snapshot.route
    // Of a multi-route mode these are several.
    let used = Set((direction == .input ? route.inputs : route.outputs).map(\.name))
      .union([snapshot.chain.defaultRoot(direction)?.name].compactMap(\.self))
    return devices.map { device in
      DeviceItem(
        device: device,
        kind: snapshot.isOwned(device) ? .own : device.isMonitor ? .monitor : .hardware,
        isDefault: used.contains(device.name), card: snapshot.card(of: device)?.name)
    }
  }
}
