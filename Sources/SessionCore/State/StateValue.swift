import PulseTypes

/// A preferred or actual value in the form of the state's JSON.
public enum StateValue: Sendable, Hashable, Codable {
  /// A name or word.
  case string(String)
  /// Hz, seconds, or 1.0 = 100 %.
  case number(Double)
  /// Muted or not.
  case flag(Bool)
  /// Matchers, options, channels.
  case strings([String])

  /// Reads a bare JSON value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let string = try? container.decode(String.self) {
      self = .string(string)
    } else {
      self = .strings(try container.decode([String].self))
    }
  }

  /// Writes a bare JSON value; a whole number without a fraction.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .string(let value): try container.encode(value)
    case .number(let value):
      if let whole = Int64(exactly: value) {
        try container.encode(whole)
      } else {
        try container.encode(value)
      }
    case .flag(let value): try container.encode(value)
    case .strings(let value): try container.encode(value)
    }
  }
}

extension StateValue {
  init(_ positions: [ChannelPosition]) { self = .strings(positions.map(\.rawValue)) }
}

/// The preferred and actual value of one property, and why they differ.
public struct PropertyReport: Sendable, Hashable {
  /// The preferred value; nil without a preference.
  public var preferred: StateValue?
  /// The actual value; nil if it is unknown.
  public var actual: StateValue?
  /// Whether the preference is in effect.
  public var verdict: Verdict
  /// Why not; nil when applied or unset.
  public var reason: String?
  /// What a pending preference waits for.
  public var waitingFor: WaitingFor?
  /// Whether a pin holds it; nil if it needs none.
  public var held: Bool?

  /// Makes a report.
  package init(
    preferred: StateValue?, actual: StateValue?, verdict: Verdict, reason: String? = nil,
    waitingFor: WaitingFor? = nil, held: Bool? = nil
  ) {
    self.preferred = preferred
    self.actual = actual
    self.verdict = verdict
    self.reason = reason
    self.waitingFor = waitingFor
    self.held = held
  }

  /// A report without a preference.
  static func unset(_ actual: StateValue?) -> PropertyReport {
    PropertyReport(preferred: nil, actual: actual, verdict: .unset)
  }
}

extension PropertyReport: Codable {
  private enum CodingKeys: String, CodingKey {
    case preferred, actual, verdict, reason, waitingFor, held
  }

  /// Writes preferred, actual, verdict and reason always, as null if there is none.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(preferred, forKey: .preferred)
    try values.encode(actual, forKey: .actual)
    try values.encode(verdict, forKey: .verdict)
    try values.encode(reason, forKey: .reason)
    try values.encodeIfPresent(waitingFor, forKey: .waitingFor)
    try values.encodeIfPresent(held, forKey: .held)
  }
}
