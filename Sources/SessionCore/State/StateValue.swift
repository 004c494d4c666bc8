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

extension StateValue: CustomStringConvertible {
  /// The bare value, such as `44100`, `true` or `front-left, front-right`.
  public var description: String {
    switch self {
    case .string(let value): value
    case .number(let value): Int64(exactly: value).map(String.init) ?? "\(value)"
    case .flag(let value): "\(value)"
    case .strings(let values): values.joined(separator: ", ")
    }
  }
}

extension StateValue {
  init(_ positions: [ChannelPosition]) { self = .strings(positions.map(\.rawValue)) }

  /// A volume, to the hundredth of a percent.
  init(fraction: Double) { self = .number((fraction * 10_000).rounded() / 10_000) }
}
