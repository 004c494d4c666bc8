import PulseTypes

/// The device for a mode on this machine, found by reading alone.
struct Resolved {
  var candidate: Candidate
  /// The preferred port, if any.
  var port: DevicePort?
  /// Whether the device is preferred for that port.
  var isPreferredByPort = false
  /// Whether the mode asks only for the default.
  var isDefault = false

  /// The device, or the one that a profile will create.
  var device: Device { candidate.device }
  var card: Card? { candidate.card }
  var name: String { candidate.name }

  /// Whether a profile of its card has the device and the port.
  func isGiven(by profile: CardProfile) -> Bool {
    guard candidate.isGiven(by: profile) else { return false }
    let onCard = port.flatMap { port in card?.ports.first { $0.name == port.name } }
    return onCard.map { $0.profiles.isEmpty || $0.profiles.contains(profile.name) } ?? true
  }
}
