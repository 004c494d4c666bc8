import PulseTypes

private enum Key: String, CodingKey {
  case time, event, reason, previous, current, what, seconds, error, unmet, cause, by, shouldResume
  case opponents, until, device, attempts, revived
}

/// The events by their names.
private enum Word: String {
  case applied, routeChanged, devicesChanged, drift, reapplied, reapplyFailed, pending, serverLost
  case serverReset, interruptionBegan, interruptionEnded, conflict, deviceStalled, stopped
}

extension TimedEvent: Codable {
  /// Reads a line of `watch --json`.
  package init(from decoder: any Decoder) throws {
    time = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .time)
    event = try SessionEvent(from: decoder)
  }

  /// Writes the event, with the time next to its own keys.
  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(time, forKey: .time)
    try event.encode(to: encoder)
  }
}

extension SessionEvent: Codable {
  /// The word for the event, as `watch --json` has it.
  public var name: String { word.rawValue }

  private var word: Word {
    switch self {
    case .applied: .applied
    case .routeChanged: .routeChanged
    case .devicesChanged: .devicesChanged
    case .drift: .drift
    case .reapplied: .reapplied
    case .reapplyFailed: .reapplyFailed
    case .pending: .pending
    case .serverLost: .serverLost
    case .serverReset: .serverReset
    case .interruptionBegan: .interruptionBegan
    case .interruptionEnded: .interruptionEnded
    case .conflict: .conflict
    case .deviceStalled: .deviceStalled
    case .stopped: .stopped
    }
  }

  /// Reads an event by its name.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    func seconds() throws -> Duration {
      Duration(saturatingSeconds: try values.decode(Double.self, forKey: .seconds))
    }
    let name = try values.decode(String.self, forKey: .event)
    guard let word = Word(rawValue: name) else {
      throw DecodingError.dataCorruptedError(
        forKey: .event, in: values, debugDescription: "no event is called '\(name)'")
    }
    switch word {
    case .applied: self = .applied
    case .routeChanged:
      self = .routeChanged(
        try values.decode(RouteChangeReason.self, forKey: .reason),
        previous: try values.decode(Route.self, forKey: .previous),
        current: try values.decode(Route.self, forKey: .current))
    case .devicesChanged: self = .devicesChanged
    case .drift:
      self = .drift(
        try values.decode([String].self, forKey: .what).compactMap(Property.init))
    case .reapplied: self = .reapplied(try seconds())
    case .reapplyFailed:
      self = .reapplyFailed(try values.decode(ErrorBody.self, forKey: .error).error)
    case .pending: self = .pending(try values.decode([Unmet].self, forKey: .unmet))
    case .serverLost: self = .serverLost
    case .serverReset: self = .serverReset(try seconds())
    case .interruptionBegan: self = .interruptionBegan(try InterruptionReason(from: decoder))
    case .interruptionEnded:
      self = .interruptionEnded(
        shouldResume: try values.decode(Bool.self, forKey: .shouldResume))
    case .conflict:
      self = .conflict(
        try values.decode([String].self, forKey: .what).first ?? "",
        opponents: try values.decode([String].self, forKey: .opponents),
        until: try values.decodeIfPresent(String.self, forKey: .until))
    case .deviceStalled:
      self = .deviceStalled(
        try values.decode(String.self, forKey: .device),
        attempts: try values.decode(Int.self, forKey: .attempts),
        isRevived: try values.decode(Bool.self, forKey: .revived))
    case .stopped: self = .stopped
    }
  }

  /// Writes the event's name and what belongs to it.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(name, forKey: .event)
    switch self {
    case .applied, .devicesChanged, .serverLost, .stopped: break
    case .routeChanged(let reason, let previous, let current):
      try values.encode(reason, forKey: .reason)
      try values.encode(previous, forKey: .previous)
      try values.encode(current, forKey: .current)
    case .drift(let what): try values.encode(what, forKey: .what)
    case .reapplied(let duration), .serverReset(let duration):
      try values.encode(duration.seconds, forKey: .seconds)
    case .reapplyFailed(let error): try values.encode(ErrorBody(error), forKey: .error)
    case .pending(let unmet): try values.encode(unmet, forKey: .unmet)
    case .interruptionBegan(let interruption): try interruption.encode(to: encoder)
    case .interruptionEnded(let shouldResume):
      try values.encode(shouldResume, forKey: .shouldResume)
    case .conflict(let what, let opponents, let end):
      try values.encode([what], forKey: .what)
      try values.encode(opponents, forKey: .opponents)
      try values.encode(end, forKey: .until)
    case .deviceStalled(let device, let attempts, let isRevived):
      try values.encode(device, forKey: .device)
      try values.encode(attempts, forKey: .attempts)
      try values.encode(isRevived, forKey: .revived)
    }
  }
}
