import JSONCoding

/// Why a session is interrupted, as far as a client of a sound server can see.
public enum InterruptionReason: Sendable, Hashable {
  /// The server asked a playing stream of the session's program to pause, or muted it for another
  /// stream (libpulse: `PA_STREAM_EVENT_REQUEST_CORK`).
  case corkRequest
  /// Another program runs a stream with a role of the highest priority (`media.role=phone`).
  case call(by: String)
  /// A device is suspended although a stream runs on it: another user's session became active, or
  /// the machine suspends.
  case deviceSuspended(String)
  /// Another program took the session over.
  case takenOver(by: String)
}

extension InterruptionReason: Codable {
  private enum Key: String, CodingKey { case cause, by }

  /// Reads `cause` and `by`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    let other = try values.decodeIfPresent(String.self, forKey: .by) ?? ""
    let cause = try values.decode(String.self, forKey: .cause)
    switch cause {
    case "corkRequest": self = .corkRequest
    case "call": self = .call(by: other)
    case "deviceSuspended": self = .deviceSuspended(other)
    case "takenOver": self = .takenOver(by: other)
    default:
      throw DecodingError.dataCorruptedError(
        forKey: .cause, in: values, debugDescription: "no interruption is called '\(cause)'")
    }
  }

  /// Writes `cause`, and `by` with the program or device; null without one.
  public func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }

  var members: JSONObject {
    switch self {
    case .corkRequest: ["cause": "corkRequest", "by": String?.none]
    case .call(let name): ["cause": "call", "by": name]
    case .deviceSuspended(let name): ["cause": "deviceSuspended", "by": name]
    case .takenOver(let name): ["cause": "takenOver", "by": name]
    }
  }
}
