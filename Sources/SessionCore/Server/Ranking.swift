import PulseTypes

extension ServerSnapshot {
  /// How the server ranks the devices of a direction for the default.
  func ranking(_ direction: Direction) -> Ranking {
    Ranking(snapshot: self, direction: direction)
  }
}

/// How a server ranks its devices for the default.
///
/// PulseAudio: a device whose port is plugged in, then the user's choice, then one that is not a
/// monitor, then the priority, then the current default. The protocol does not have the user's
/// choice: it is inferred from the outcome.
struct Ranking {
  let snapshot: ServerSnapshot
  let direction: Direction

  /// What decides between two devices.
  private struct Rank {
    var canBeDefault: Bool
    var isMonitor: Bool
    var priority: Int
  }

  private static let forms = ["headphone": 900, "hifi": 600, "speaker": 500, "portable": 450]
  private static let buses = ["bluetooth": 50, "usb": 40, "pci": 30]

  private var all: [Device] { snapshot.devices(direction).filter { !snapshot.isDummy($0) } }

  /// Every device, the best first, as if the user had chosen none.
  var devices: [Device] {
    // The server keeps its order among equals.
    all.enumerated().sorted { a, b in
      beats(a.element, b.element) || !beats(b.element, a.element) && a.offset < b.offset
    }.map(\.element)
  }

  /// The device that is the default because the user chose it; nil if it would be the default
  /// anyway.
  var chosen: Device? {
    guard let present = snapshot.defaultDevice(direction) else { return nil }
    // By their places: a device is large to copy.
    let (devices, rank) = (snapshot.devices(direction), rank(of: present))
    let isBeaten = devices.indices.contains {
      beats(devices[$0], rank) && !snapshot.isDummy(devices[$0])
    }
    return isBeaten ? present : nil
  }

  /// Whether the server ranks two devices alike.
  func isEqual(_ one: Device, _ other: Device) -> Bool {
    one.name != other.name && !beats(one, other) && !beats(other, one)
  }

  private func beats(_ device: Device, _ other: Device) -> Bool { beats(device, rank(of: other)) }

  private func beats(_ device: Device, _ other: Rank) -> Bool {
    if device.canBeDefault != other.canBeDefault { return device.canBeDefault }
    if device.isMonitor != other.isMonitor { return other.isMonitor }
    return (priority(of: device) ?? 0) > other.priority
  }

  private func rank(of device: Device) -> Rank {
    Rank(
      canBeDefault: device.canBeDefault, isMonitor: device.isMonitor,
      priority: priority(of: device) ?? 0)
  }

  /// The priority that the server derives from a device's properties; nil if there is none.
  func priority(of device: Device) -> Int? {
    if snapshot.has(.rankedByProperty) {
      return device.properties["priority.session"].flatMap { Int($0) }
    }
    let properties = device.properties
    var result = properties["device.api"] == "jack" ? 10000 : 0
    if let kind = properties["device.class"] {
      result += kind == "sound" ? 9000 : kind == "modem" ? 0 : 1000
    }
    result += properties["device.form_factor"].flatMap { Self.forms[$0] } ?? 0
    result += properties["device.bus"].flatMap { Self.buses[$0] } ?? 0
    let profile = properties["device.profile.name"] ?? ""
    if profile.hasPrefix("analog-") {
      let roles = properties["device.intended_roles"]?.split(separator: " ") ?? []
      result += roles.contains("phone") ? 8 : 9
    } else if profile.hasPrefix("iec958-") {
      result += 7
    }
    return result
  }

  /// Why a device is not the default, by the first rule that distinguishes the two.
  func reason(against device: Device) -> String {
    guard let present = snapshot.defaultDevice(direction) else { return "there is no default" }
    if !device.canBeDefault, present.canBeDefault, let port = device.activePort {
      return "its port \(port) is not plugged in"
    }
    if chosen != nil {
      guard beats(device, present) else { return "was not chosen" }
      // Of several that are as good, the server takes one by what it does not tell.
      let rank = rank(of: device)
      return all.allSatisfy { !beats($0, rank) }
        ? "would be the default if \(present.name) had not been chosen"
        : "the server ranks it above \(present.name), which was chosen"
    }
    if device.isMonitor, !present.isMonitor, let sink = device.monitor {
      return "is a monitor: it records what \(sink) plays"
    }
    let (mine, other) = (priority(of: device), priority(of: present))
    if let mine, let other, mine < other { return "its priority is lower than \(other)" }
    return "is as good; \(present.name) was there first, or was chosen"
  }
}
