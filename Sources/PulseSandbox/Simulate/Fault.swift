/// A fault that a command inside a sandbox can request.
package enum Fault: Sendable, Hashable {
  case plug(String)
  case unplug(String)
  case suspend(String)
  case resume(String)
  case kill
  case restart
  case resetMediaServices
  case freeze
  case thaw
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
    case .plug(let name): ["plug", name]
    case .unplug(let name): ["unplug", name]
    case .suspend(let name): ["suspend", name]
    case .resume(let name): ["resume", name]
    case .kill: ["kill"]
    case .restart: ["restart"]
    case .resetMediaServices: ["reset-media-services"]
    case .freeze: ["freeze"]
    case .thaw: ["thaw"]
    case .compete(let setting, let name): ["compete", name] + setting.words
    case .interrupt(let role, let device, let name):
      ["interrupt", name, role] + (device.map { [$0] } ?? [])
    }
  }

  /// Parses words; nil if they are not a fault.
  init?(words: [String]) {
    let rest = Array(words.dropFirst())
    switch (words.first, rest.count) {
    case ("plug", 1): self = .plug(rest[0])
    case ("unplug", 1): self = .unplug(rest[0])
    case ("suspend", 1): self = .suspend(rest[0])
    case ("resume", 1): self = .resume(rest[0])
    case ("kill", 0): self = .kill
    case ("restart", 0): self = .restart
    case ("reset-media-services", 0): self = .resetMediaServices
    case ("freeze", 0): self = .freeze
    case ("thaw", 0): self = .thaw
    case ("compete", 2...):
      guard let setting = ContestedSetting(words: Array(rest.dropFirst())) else { return nil }
      self = .compete(setting, name: rest[0])
    case ("interrupt", 2): self = .interrupt(role: rest[1], device: nil, name: rest[0])
    case ("interrupt", 3): self = .interrupt(role: rest[1], device: rest[2], name: rest[0])
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
    case .plug(let name): try await plug(name)
    case .unplug(let name): try await unplug(name)
    case .suspend(let name): try await suspend(name)
    case .resume(let name): try await resume(name)
    case .kill: try await kill()
    case .restart: try await restart()
    case .resetMediaServices: try await resetMediaServices()
    case .freeze: try await freeze()
    case .thaw: try await thaw()
    case .compete(let setting, let name): return try await compete(for: setting, as: name)
    case .interrupt(let role, let device, let name):
      return try await interrupt(role: role, on: device, as: name)
    }
    return nil
  }
}
