/// A fault that a command inside a sandbox can request.
package enum Fault: Sendable, Hashable {
  /// What befalls a port, a card or a device.
  package enum Change: String, Sendable { case plug, unplug, suspend, resume }

  /// What befalls the server.
  package enum Mishap: String, Sendable {
    case kill, restart, freeze, thaw
    case resetMediaServices = "reset-media-services"
  }

  case device(Change, String)
  case server(Mishap)
  case compete(ContestedSetting, name: String)
  case interrupt(role: String, device: String?, name: String)

  /// Whether the fault lasts until it is ended.
  package var isLasting: Bool {
    switch self {
    case .compete, .interrupt: true
    default: false
    }
  }
}

extension Fault {
  /// The fault as words, for another process.
  package var words: [String] {
    switch self {
    case .device(let change, let name): [change.rawValue, name]
    case .server(let mishap): [mishap.rawValue]
    case .compete(let setting, let name): ["compete", name] + setting.words
    case .interrupt(let role, let device, let name):
      ["interrupt", name, role] + (device.map { [$0] } ?? [])
    }
  }

  /// Parses words; nil if they are not a fault.
  init?(words: [String]) {
    let rest = Array(words.dropFirst())
    switch (words.first, rest.count) {
    case ("compete", 2...):
      guard let setting = ContestedSetting(words: Array(rest.dropFirst())) else { return nil }
      self = .compete(setting, name: rest[0])
    case ("interrupt", 2...3):
      self = .interrupt(role: rest[1], device: rest.count > 2 ? rest[2] : nil, name: rest[0])
    case (let word?, 0):
      guard let mishap = Mishap(rawValue: word) else { return nil }
      self = .server(mishap)
    case (let word?, 1):
      guard let change = Change(rawValue: word) else { return nil }
      self = .device(change, rest[0])
    default: return nil
    }
  }
}

extension ContestedSetting {
  fileprivate var words: [String] {
    switch self {
    case .defaultInput(let name): ["default-input", name]
    case .defaultOutput(let name): ["default-output", name]
    case .port(let device, let port): ["port", device, port]
    case .volume(let device, let percent): ["volume", device, String(percent)]
    case .mute(let device, let isMuted): ["mute", device, isMuted ? "yes" : "no"]
    case .profile(let card, let profile): ["profile", card, profile]
    }
  }

  /// Parses a setting: `default-input NAME`, `default-output NAME`, `port DEVICE PORT`, `volume
  /// DEVICE PERCENT`, `mute DEVICE yes|no`, `profile CARD PROFILE`; nil for other words.
  package init?(words: [String]) {
    switch (words.first, words.count) {
    case ("default-input", 2): self = .defaultInput(words[1])
    case ("default-output", 2): self = .defaultOutput(words[1])
    case ("port", 3): self = .port(device: words[1], words[2])
    case ("profile", 3): self = .profile(card: words[1], words[2])
    case ("mute", 3) where ["yes", "no"].contains(words[2]):
      self = .mute(device: words[1], words[2] == "yes")
    case ("volume", 3):
      let digits = words[2].hasSuffix("%") ? words[2].dropLast() : words[2][...]
      guard let percent = Int(digits), (0...500).contains(percent) else { return nil }
      self = .volume(device: words[1], percent: percent)
    default: return nil
    }
  }
}

extension PulseSandbox {
  /// Causes a fault; returns a lasting one, so that it can be stopped.
  func perform(_ fault: Fault) async throws(SandboxError) -> Disturbance? {
    switch fault {
    case .device(.plug, let name): try await plug(name)
    case .device(.unplug, let name): try await unplug(name)
    case .device(.suspend, let name): try await suspend(name)
    case .device(.resume, let name): try await resume(name)
    case .server(.kill): try await kill()
    case .server(.restart): try await restart()
    case .server(.resetMediaServices): try await resetMediaServices()
    case .server(.freeze): try await freeze()
    case .server(.thaw): try await thaw()
    case .compete(let setting, let name): return try await compete(for: setting, as: name)
    case .interrupt(let role, let device, let name):
      return try await interrupt(role: role, on: device, as: name)
    }
    return nil
  }
}
