internal import PulseTypes

/// The setting on which a competing client insists.
public enum ContestedSetting: Sendable, Hashable {
  /// The default source.
  case defaultInput(String)
  /// The default sink.
  case defaultOutput(String)
  /// The active port of a device.
  case port(device: String, String)
  /// The volume of a device, in percent.
  case volume(device: String, percent: Int)
  /// Whether a device is muted.
  case mute(device: String, Bool)
  /// The profile of a card.
  case profile(card: String, String)

  /// The device whose direction must be looked up.
  var device: String? {
    switch self {
    case .port(let device, _), .volume(let device, _), .mute(let device, _): device
    case .defaultInput, .defaultOutput, .profile: nil
    }
  }

  /// The default that it sets, and the device.
  var standard: (direction: Direction, device: String)? {
    switch self {
    case .defaultInput(let name): (.input, name)
    case .defaultOutput(let name): (.output, name)
    case .port, .volume, .mute, .profile: nil
    }
  }

  /// The name in `pactl subscribe` of the objects whose events may report a change, and the words
  /// with which `pactl` sets the value; `device` is `source` or `sink`.
  func words(device kind: String) -> (facility: String, command: [String]) {
    switch self {
    case .defaultInput(let name): ("server", ["set-default-source", name])
    case .defaultOutput(let name): ("server", ["set-default-sink", name])
    case .port(let device, let port): (kind, ["set-\(kind)-port", device, port])
    case .volume(let device, let percent): (kind, ["set-\(kind)-volume", device, "\(percent)%"])
    case .mute(let device, let isMuted): (kind, ["set-\(kind)-mute", device, isMuted ? "1" : "0"])
    case .profile(let card, let profile): ("card", ["set-card-profile", card, profile])
    }
  }
}
