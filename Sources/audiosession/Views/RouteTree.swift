import AudioSession
import PulseTypes

/// The path of the sound, from the card to the default: card → profile → port → device → the links
/// of the session's chain → default; the colors are verdicts.
struct RouteTree {
  let snapshot: ServerSnapshot
  /// The properties of the state, for their verdicts; empty if unknown.
  var properties: [Property: PropertyReport] = [:]
  /// The names of devices for users.
  var names = DeviceNames.none

  /// The path of the default input or output; nil if there is none.
  func route(_ direction: Direction) -> Tree? {
    guard let device = snapshot.chain.defaultRoot(direction), snapshot.route.has(device) else {
      return nil
    }
    guard let card = snapshot.card(of: device) else { return chain(device) }
    return self.card(card, [chain(device)], [direction])
  }

  /// Every card with its devices, then the devices without one.
  func all() -> [Tree] {
    let devices = Direction.allCases.flatMap { snapshot.hardware($0) }
    let byCard = Dictionary(grouping: devices, by: \.card)
    let cards = snapshot.cards.map { card in
      self.card(card, byCard[card.index, default: []].map(chain), Direction.allCases)
    }
    return cards + byCard[nil, default: []].map(chain)
  }

  private func card(_ card: Card, _ chains: [Tree], _ directions: [Direction]) -> Tree {
    let isUsed = directions.contains { direction in
      snapshot.chain.defaultRoot(direction)?.card == card.index
    }
    let profile = Tree(
      kind: "profile", name: card.activeProfile ?? "none",
      style: isUsed ? style([.category]) : .plain, children: chains)
    return Tree(
      kind: "card", name: names[card.name],
      detail: names.isEmpty ? card.properties["device.description"] ?? "" : "",
      children: [profile])
  }

  /// The port, the device, and the chain in front of it.
  private func chain(_ device: Device) -> Tree {
    let direction = device.direction
    let isRoute = snapshot.chain.defaultRoot(direction)?.name == device.name
    let isInput = direction == .input
    let devices = [Property.device(direction)]
    let levels = Property.levels(direction)
    var end = Tree(
      kind: isInput ? "source" : "sink", name: names[device.name],
      style: isRoute ? style(devices + levels + Hint.properties) : .plain,
      detail: facts(device))
    end.children = links(on: device, devices)
    if snapshot.server.defaultName(direction) == device.name {
      end.children.insert(standard(devices), at: 0)
    }
    guard let port = device.active else { return end }
    let type = device.portTypes(port).first?.rawValue ?? ""
    let state = port.availability == .no ? "not plugged in" : type
    return Tree(
      kind: "port", name: port.name,
      style: isRoute ? style([.port(direction)]) : .plain, detail: state,
      children: [end])
  }

  /// The session's own devices on a device, and those on them.
  private func links(on device: Device, _ devices: [Property], depth: Int = 0) -> [Tree] {
    // A chain has three links; a cycle would never end.
    guard depth < 4 else { return [] }
    let direction = device.direction
    return snapshot.chain.ownedDevices(direction).filter { owned in
      snapshot.masters(of: owned).contains { $0.name == device.name }
    }.map { owned in
      let isDefault = snapshot.server.defaultName(direction) == owned.name
      var tree = link(owned, direction)
      tree.children =
        (isDefault ? [standard(devices)] : [])
        + links(on: owned, devices, depth: depth + 1)
      return tree
    }
  }

  private func link(_ owned: Device, _ direction: Direction) -> Tree {
    let (kind, properties, detail): (String, [Property], String?)
    switch owned.properties[Owned.roleKey] {
    case Owned.echoRole:
      (kind, properties) = ("echo canceller", [.mode])
      detail = snapshot.chain.echoCanceller?.method
    case Owned.combineRole:
      (kind, properties) = ("outputs", [.category])
      detail = snapshot.combination?.outputs.map { names[$0] }.joined(separator: " + ")
    default:
      (kind, properties) = (
        "remap", [.channels(direction)] + (direction == .input ? [.polarPattern] : [])
      )
      detail = snapshot.chain.remap(direction).map {
        $0.isMix ? "all channels mixed" : $0.masterMap.readable
      }
    }
    // A link has its own levels, which are heard as well.
    let volume = owned.volume.loudest
    let facts = [
      detail,
      snapshot.chain.hasOwnVolume(owned) && volume != .norm ? "\(volume)" : nil,
      owned.isMuted ? "muted" : nil,
    ]
    return Tree(
      kind: kind, name: owned.name, style: style(properties),
      detail: facts.compactMap(\.self).joined(separator: ", "))
  }

  private func standard(_ devices: [Property]) -> Tree {
    let style = style(devices)
    return Tree(kind: "", name: "default", style: style == .plain ? .bold : style)
  }

  private func facts(_ device: Device) -> String {
    let rate = device.sampleSpec.rate > 0 ? "\(device.sampleSpec.rate) Hz, " : ""
    return rate + "\(device.volume.loudest)" + (device.isMuted ? ", muted" : "")
  }

  /// The color of the worst verdict among the preferences.
  private func style(_ names: [Property]) -> Style {
    let styles = names.compactMap { properties[$0] }.filter { $0.verdict != .unset }
      .map(\.verdict.style)
    for worst in [Style.red, .amber, .green] where styles.contains(worst) { return worst }
    return .plain
  }
}

extension Route {
  fileprivate func has(_ device: Device) -> Bool {
    (inputs + outputs).contains { $0.name == device.name }
  }
}
