/// What keeps a value from being restored.
enum Absence: Hashable {
  /// The device or card is not there.
  case unplugged(String)
  /// Another port of the device is in use.
  case unused(port: String, of: String)
  /// The card is there, with a profile that does not have the device.
  case profile(String?, of: String, lacks: String)

  /// The reason, for users.
  var reason: String {
    switch self {
    case .unplugged(let name): "\(name) is unplugged"
    case .unused(let port, let device): "\(port) of \(device) is not in use"
    case .profile(let profile, let card, let device):
      "\(device) is not there while \(card) has "
        + (profile.map { "the profile \($0)" } ?? "no profile")
    }
  }

  /// When it ends, for users.
  var end: String {
    switch self {
    case .unplugged, .profile: "it returns"
    case .unused: "it is"
    }
  }

  /// What the reason is about, and whose values are restored: two are named where a card is.
  var subject: (noun: String, possessive: String) {
    switch self {
    case .unplugged, .unused: ("it", "its")
    case .profile: ("the device", "the device's")
    }
  }
}
