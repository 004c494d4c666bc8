/// Identifies a device by stable properties: its name, a property, its form, the type of its port.
public enum DeviceMatcher: Sendable, Hashable, Codable {
  /// The default: from before the session, or chosen since; never a device of the session, never a monitor.
  case `default`
  /// A name or glob (`*`, `?`, `[…]`) of a source or sink.
  case name(String)
  /// Every property has a value that matches the glob.
  case properties([String: String])
  /// `device.form_factor`, such as `headset`.
  case formFactor(String)
  /// The device has a usable port of this type.
  case portType(PortType)
  /// All of these match.
  case all([DeviceMatcher])

  /// Makes a matcher from the word in a profile file: `default`, a name or a glob.
  public init(_ word: String) { self = word == "default" ? .default : .name(word) }

  /// Whether it identifies one device and not a kind of devices.
  var isOfOneDevice: Bool {
    switch self {
    case .name(let name): !Glob.isPattern(name)
    case .properties(let properties):
      !Set(properties.keys).isSubset(of: ["device.bus", "device.form_factor"])
    case .all(let parts): parts.contains(where: \.isOfOneDevice)
    case .default, .formFactor, .portType: false
    }
  }

  /// The port types in the matcher; a matched device is used through such a port.
  var portTypes: [PortType] {
    switch self {
    case .portType(let type): [type]
    case .all(let parts): parts.flatMap(\.portTypes)
    default: []
    }
  }
}

extension DeviceMatcher: ExpressibleByStringLiteral {
  /// A name, a glob, or `default`.
  public init(stringLiteral value: String) { self.init(value) }
}

extension DeviceMatcher: CustomStringConvertible {
  /// The form in a profile file.
  public var description: String {
    switch self {
    case .default: "default"
    case .name(let name): name
    case .properties(let properties):
      properties.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    case .formFactor(let form): "form-factor=\(form)"
    case .portType(let type): "port-type=\(type.rawValue)"
    case .all(let parts): parts.map(\.description).joined(separator: " ")
    }
  }
}
