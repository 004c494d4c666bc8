import PulseTypes

/// Why a preference is not in effect.
struct Obstacle: Error {
  /// The verdicts that an obstacle leads to; `applied` is none of them.
  enum Kind { case pending, unreachable, refused, overridden }

  let kind: Kind
  private let what: String
  private var change = ""
  private let advice: String
  let waitingFor: WaitingFor?
  var reason: String { what + change + advice }

  var verdict: Verdict {
    switch kind {
    case .pending: .pending
    case .unreachable: .unreachable
    case .refused: .refused
    case .overridden: .overridden
    }
  }

  init(_ kind: Kind, _ reason: String, _ waitingFor: WaitingFor? = nil, advice: String? = nil) {
    self.kind = kind
    what = reason
    self.advice = advice.map { "; " + $0 } ?? ""
    self.waitingFor = waitingFor
  }

  /// No link can be made.
  static let noModules = Obstacle(.refused, "the server does not let modules be loaded")

  /// The server has another value, and the session leaves it.
  static func overridden(_ what: String, advice: String? = nil) -> Obstacle {
    Obstacle(.overridden, what, advice: advice)
  }

  /// The same for a value that the session had set. The server reports no author, so none is named.
  var sinceSet: Obstacle {
    guard kind == .overridden else { return self }
    var result = self
    result.change = ": it has changed since it was set"
    return result
  }
}

extension PlanContext {
  /// The device of a direction; throws what it waits for.
  func awaited(_ direction: Direction) throws(Obstacle) -> Device {
    if let error = resolution.waiting[direction] {
      // What is wrong with the device itself, if it is there.
      let detail = error.code == .portNotAvailable ? error.alternatives.first : nil
      let reason = error.message + (detail.map { " (\($0))" } ?? "")
      throw Obstacle(.pending, reason, waitingFor(direction))
    }
    if let resolved = resolved(direction), device(direction) == nil {
      throw Obstacle(.pending, "\(resolved.name) is not there yet", .profile)
    }
    guard let device = device(direction) else {
      throw Obstacle(.pending, "there is no \(direction.rawValue) to set it on", .device)
    }
    return device
  }

  /// That a card is to have another profile: what it offers there is not known yet. Nil if it has its profile.
  func awaitedProfile(_ card: Card) -> Obstacle? {
    guard let profile = resolution.profiles[card.name], profile != card.activeProfile else {
      return nil
    }
    return Obstacle(
      .pending, "\(card.name) is on profile '\(card.profileInUse)', not '\(profile)'", .profile)
  }

  /// The default is a device, or a chain on it.
  func isDefault(_ direction: Direction, _ name: String) -> Condition {
    .value(.setting(.defaultDevice(direction)), asked: .name(name)) { value in
      guard case .name(let end) = value else { return false }
      if end == name { return true }
      let device = self.snapshot.device(direction, named: end)
      return device.flatMap { self.snapshot.chain.root(of: $0) }?.name == name
    } otherwise: { _ in
      if let refusal = self.refusedDefault(direction) { return refusal }
      let root = self.snapshot.chain.defaultRoot(direction)?.name
      return .overridden("the default is \(root ?? "none"), not \(name)")
    }
  }

  /// The default is the end of a device's chain.
  func isAtEnd(_ device: Device, _ chain: String) -> Condition {
    let direction = device.direction
    return Condition(.defaultDevice(direction), .name(preferredEnd(on: device))) { _ in
      self.refusedDefault(direction)
        ?? Obstacle(.overridden, "\(chain), and the default \(direction.rawValue) is not on it")
    }
  }

  /// That the server has refused to change the default, which is written at the end of a chain.
  private func refusedDefault(_ direction: Direction) -> Obstacle? {
    input.refusals[.defaultDevice(direction)].map { Obstacle(.refused, $0) }
  }
}
