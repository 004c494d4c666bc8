import PulseTypes

/// How a server ranks its devices for the default.
///
/// PulseAudio: a device whose port is plugged in, then the user's choice, then one that is not a
/// monitor, then the priority, then the current default. The protocol does not have the user's
/// choice: it is inferred from the outcome.
struct Ranking {
  let snapshot: ServerSnapshot
  let direction: Direction

  /// Every device, the best first, as if the user had chosen none.
  var devices: [Device] {
    let all = snapshot.devices(direction).filter { !snapshot.isDummy($0) }
    // The server keeps its order among equals.
    return all.enumerated().sorted { a, b in
      beats(a.element, b.element) || !beats(b.element, a.element) && a.offset < b.offset
    }.map(\.element)
  }

  /// The device that is the default because the user chose it; nil if it would be the default
  /// anyway.
  var chosen: Device? {
    guard let present = snapshot.defaultDevice(direction), let best = devices.first,
      best.name != present.name, beats(best, present)
    else { return nil }
    return present
  }

  private func beats(_ a: Device, _ b: Device) -> Bool {
    if a.canBeDefault != b.canBeDefault { return a.canBeDefault }
    if a.isMonitor != b.isMonitor { return b.isMonitor }
    return (priority(of: a) ?? 0) > (priority(of: b) ?? 0)
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
    let forms = ["headphone": 900, "hifi": 600, "speaker": 500, "portable": 450]
    let buses = ["bluetooth": 50, "usb": 40, "pci": 30]
    result += properties["device.form_factor"].flatMap { forms[$0] } ?? 0
    result += properties["device.bus"].flatMap { buses[$0] } ?? 0
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
    if !device.canBeDefault, present.canBeDefault {
      return "its port \(device.activePort ?? "") is not plugged in"
    }
    if chosen != nil {
      return beats(device, present)
        ? "would be the default if \(present.name) had not been chosen" : "was not chosen"
    }
    if device.isMonitor, !present.isMonitor {
      return "is a monitor: it records what \(device.monitor ?? "a sink") plays"
    }
    let (mine, other) = (priority(of: device), priority(of: present))
    if let mine, let other, mine < other { return "its priority is lower than \(other)" }
    return "is as good; \(present.name) was there first, or was chosen"
  }
}

extension Explanation {
  mutating func explainDefault(
    _ direction: Direction, _ snapshot: ServerSnapshot, _ facts: MachineFacts
  ) {
    let word = direction == .input ? "source" : "sink"
    let ranking = Ranking(snapshot: snapshot, direction: direction)
    let present = snapshot.defaultDevice(direction)
    if let variable = facts.variables[direction == .input ? "PULSE_SOURCE" : "PULSE_SINK"] {
      causes.append("programs started here use \(variable), whatever the default is")
    }
    if let present {
      causes += why(present, word, ranking, facts)
    } else {
      causes.append("the server has no \(word)")
    }
    choices = ranking.devices.map { device in
      let isPresent = device.name == present?.name
      return Choice(
        device.name, isChosen: isPresent, availability: device.active?.availability,
        priority: ranking.priority(of: device),
        reason: isPresent ? "is the default" : ranking.reason(against: device))
    }
    // The chosen one first, for whatever reason it was chosen.
    choices = choices.filter(\.isChosen) + choices.filter { !$0.isChosen }
  }

  private func why(
    _ present: Device, _ word: String, _ ranking: Ranking, _ facts: MachineFacts
  ) -> [String] {
    let snapshot = ranking.snapshot
    let entry = facts.baseline[.defaultDevice(ranking.direction)]
    let isOurs = snapshot.isOwned(present) || entry?.isOurs(.name(present.name)) == true
    var causes: [String] = []
    if snapshot.isOwned(present) {
      let root = snapshot.chain.root(of: present)?.name ?? "a device that was removed"
      causes.append("the default \(word) is \(present.name), the session's own device on \(root)")
    }
    if ranking.chosen != nil {
      let who = isOurs ? "the session" : "a person, a program or a module of the server"
      causes.append(
        "\(who) chose \(present.name); by itself the server would take \(ranking.devices[0].name)")
      if let port = snapshot.devices(ranking.direction).first(where: { !$0.canBeDefault }) {
        causes.append(
          "\(port.name) cannot become the default while nothing is plugged into its port")
      }
    } else {
      causes.append(
        "\(present.name) is the server's own first choice; whether it was also chosen cannot be read"
      )
    }
    if !snapshot.loaded("module-switch-on-connect").isEmpty {
      causes.append("module-switch-on-connect chooses whatever is plugged in")
    }
    if !snapshot.loaded("module-default-device-restore").isEmpty {
      causes.append("module-default-device-restore chooses at each start what was chosen last")
    }
    return causes
  }

  mutating func explainPort(_ direction: Direction, _ snapshot: ServerSnapshot) {
    guard let device = snapshot.chain.defaultRoot(direction) else {
      causes.append("there is no \(direction.rawValue)")
      return
    }
    guard let active = device.active else {
      causes.append("\(device.name) has no ports")
      return
    }
    causes.append("\(device.name) is on its port \(active.name)")
    if !snapshot.loaded("module-switch-on-port-available").isEmpty {
      causes.append("module-switch-on-port-available follows the jacks: what is plugged in is used")
    }
    if let card = snapshot.card(of: device) {
      causes.append("the card keeps to its profile \(card.activeProfile ?? "none")")
    }
    choices = device.ports.sorted { $0.priority > $1.priority }.map { port in
      Choice(
        port.name, isChosen: port.name == active.name, availability: port.availability,
        priority: Int(port.priority),
        reason: port.name == active.name
          ? "is in use" : port.availability == .no ? "is not plugged in" : "was not chosen")
    }
  }
}
