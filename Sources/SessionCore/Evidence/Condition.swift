/// What must be read on a server for a preference to be in effect.
enum Condition {
  /// A value. `asked` is the preferred one; `isMet` is the property's own rule, in the server's units.
  case value(
    Fact, asked: SettingValue, isMet: (SettingValue) -> Bool,
    otherwise: (SettingValue?) -> Obstacle)
  /// The server has nothing to read, with the reason.
  case nothing(String)
  /// It cannot be met.
  case blocked(Obstacle)

  /// The preferred value itself; `otherwise` is why it is not there, by default another value.
  init(_ fact: Fact, _ asked: SettingValue, otherwise: ((SettingValue?) -> Obstacle)? = nil) {
    self = .value(fact, asked: asked) {
      $0 == asked
    } otherwise: { now in
      otherwise?(now)
        ?? .overridden("the \(fact.label) is \(now.shown), not \(asked)")
    }
  }

  init(_ setting: Setting, _ asked: SettingValue, otherwise: ((SettingValue?) -> Obstacle)? = nil) {
    self.init(.setting(setting), asked, otherwise: otherwise)
  }

  func mapObstacle(_ change: @escaping (Obstacle) -> Obstacle) -> Condition {
    switch self {
    case .value(let fact, let asked, let isMet, let otherwise):
      .value(fact, asked: asked, isMet: isMet) { change(otherwise($0)) }
    case .nothing: self
    case .blocked(let obstacle): .blocked(change(obstacle))
    }
  }

  /// The conditions, or what prevents them.
  static func list(_ conditions: () throws(Obstacle) -> [Condition]) -> [Condition] {
    do throws(Obstacle) {
      return try conditions()
    } catch {
      return [.blocked(error)]
    }
  }
}

extension [Condition] {
  /// What prevents the first condition that is not met by the values that are found; nil if all are met.
  ///
  /// - Parameter wasSet: whether the session had set one of the values that meet a condition.
  func obstacle(
    wasSet: (Setting, (SettingValue) -> Bool) -> Bool = { _, _ in false },
    _ find: (Fact, _ asked: SettingValue) -> SettingValue?
  ) -> Obstacle? {
    for condition in self {
      switch condition {
      case .value(let fact, let asked, let isMet, let otherwise):
        let now = find(fact, asked)
        guard let now, isMet(now) else {
          let obstacle = otherwise(now)
          guard case .setting(let setting) = fact, wasSet(setting, isMet) else { return obstacle }
          return obstacle.sinceSet
        }
      case .nothing: continue
      case .blocked(let obstacle): return obstacle
      }
    }
    // Where nothing was read, nothing is in effect.
    return isEmpty ? Obstacle(.pending, "nothing on the server shows it") : nil
  }

  /// Why there is nothing to read; nil if all was read.
  var nothingToRead: String? {
    let reasons = compactMap { if case .nothing(let reason) = $0 { reason } else { nil } }
    return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
  }
}
