import JSONCoding
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
    try (["time": time] as JSONObject).encode(to: encoder)
    try event.encode(to: encoder)
  }
}

extension SessionEvent: Codable {
  /// The word for the event, as `watch --json` has it.
  public var name: String { parts.word.rawValue }

  /// The event's name, and what belongs to it.
  private var parts: (word: Word, members: JSONObject) {
    switch self {
    case .applied: (.applied, [:])
    case .routeChanged(let reason, let previous, let current):
      (.routeChanged, ["reason": reason, "previous": previous, "current": current])
    case .devicesChanged: (.devicesChanged, [:])
    case .drift(let what): (.drift, ["what": what])
    case .reapplied(let duration): (.reapplied, ["seconds": duration.seconds])
    case .reapplyFailed(let error): (.reapplyFailed, ["error": ErrorBody(error)])
    case .pending(let unmet): (.pending, ["unmet": unmet])
    case .serverLost: (.serverLost, [:])
    case .serverReset(let duration): (.serverReset, ["seconds": duration.seconds])
    case .interruptionBegan(let reason): (.interruptionBegan, reason.members)
    case .interruptionEnded(let shouldResume):
      (.interruptionEnded, ["shouldResume": shouldResume])
    case .conflict(let what, let opponents, let end):
      (.conflict, ["what": [what], "opponents": opponents, "until": end])
    case .deviceStalled(let device, let attempts, let isRevived):
      (.deviceStalled, ["device": device, "attempts": attempts, "revived": isRevived])
    case .stopped: (.stopped, [:])
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
    try (["event": name] + parts.members).encode(to: encoder)
  }
}
