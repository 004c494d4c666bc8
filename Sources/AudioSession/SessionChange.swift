/// A change that a session is asked to make.
package enum SessionChange: Sendable, Hashable {
  /// A mode is applied; the value is the name of its profile.
  case apply(profile: String?)
  /// The previous setup is restored.
  case revert
}

extension SessionChange {
  /// The change that an order requests; nil for a takeover.
  init?(_ order: Order.Kind) {
    switch order {
    case .apply(_, let profile), .adopt(_, let profile): self = .apply(profile: profile)
    case .revert: self = .revert
    case .takeOver, .unreadable: return nil
    }
  }
}
