/// Identifies a port of the chosen device.
public enum PortMatcher: Sendable, Hashable, Codable {
  /// A name or glob.
  case name(String)
  /// A type, `type:headphones` in a profile file.
  case type(PortType)
}

extension PortMatcher: ExpressibleByStringLiteral {
  /// A name, a glob, or `type:` with a port type, as in a profile file.
  public init(stringLiteral value: String) {
    let type = value.hasPrefix("type:") ? PortType(rawValue: String(value.dropFirst(5))) : nil
    self = type.map(Self.type) ?? .name(value)
  }
}

extension PortMatcher: CustomStringConvertible {
  /// The form in a profile file.
  public var description: String {
    switch self {
    case .name(let name): name
    case .type(let type): "type:\(type.rawValue)"
    }
  }
}
