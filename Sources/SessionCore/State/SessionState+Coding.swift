extension SessionState: Codable {
  private enum Key: String, CodingKey {
    case schema, server, active, profile, scope, holder, capabilities, properties, route
    case interrupted, resets, reapplies, conflicts, pins, processing, events, notes
  }

  /// Reads a state.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    server = try values.decodeIfPresent(Server.self, forKey: .server)
    active = try values.decode(Bool.self, forKey: .active)
    profile = try values.decodeIfPresent(String.self, forKey: .profile)
    scope = try values.decode(Scope.self, forKey: .scope)
    holder = try values.decodeIfPresent(Holder.self, forKey: .holder)
    capabilities = try values.decodeIfPresent(Capabilities.self, forKey: .capabilities)
    // A newer program may have more of them.
    let reports = try values.decode([String: PropertyReport].self, forKey: .properties)
    properties = Dictionary(
      uniqueKeysWithValues: reports.compactMap { name, report in
        Property(rawValue: name).map { ($0, report) }
      })
    route = try values.decode(Route.self, forKey: .route)
    interrupted = try values.decode(Bool.self, forKey: .interrupted)
    resets = try values.decodeIfPresent(Int.self, forKey: .resets)
    reapplies = try values.decodeIfPresent(Int.self, forKey: .reapplies)
    conflicts = try values.decode([String].self, forKey: .conflicts)
    pins = try values.decode([Pin].self, forKey: .pins)
    processing = try values.decodeIfPresent([Processing].self, forKey: .processing) ?? []
    events = try values.decodeIfPresent([TimedEvent].self, forKey: .events) ?? []
    notes = try values.decodeIfPresent([String].self, forKey: .notes) ?? []
  }

  /// Writes every key, as null if there is no value.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(1, forKey: .schema)
    try values.encode(server, forKey: .server)
    try values.encode(active, forKey: .active)
    try values.encode(profile, forKey: .profile)
    try values.encode(scope, forKey: .scope)
    try values.encode(holder, forKey: .holder)
    try values.encode(capabilities, forKey: .capabilities)
    try values.encode(properties, forKey: .properties)
    try values.encode(route, forKey: .route)
    try values.encode(interrupted, forKey: .interrupted)
    try values.encode(resets, forKey: .resets)
    try values.encode(reapplies, forKey: .reapplies)
    try values.encode(conflicts, forKey: .conflicts)
    try values.encode(pins, forKey: .pins)
    try values.encode(processing, forKey: .processing)
    try values.encode(events, forKey: .events)
    try values.encode(notes, forKey: .notes)
  }
}

extension KeyedEncodingContainer {
  /// Encodes reports in the order of the properties; other dictionaries have the order of their keys'
  /// texts.
  package mutating func encode(_ reports: [Property: PropertyReport], forKey key: Key) throws {
    var container = nestedContainer(keyedBy: ReportKey.self, forKey: key)
    for property in Property.allCases {
      guard let report = reports[property] else { continue }
      try container.encode(report, forKey: ReportKey(property))
    }
  }
}

/// A property as the key of its report. It is made from no text, as of a dictionary with any keys: those
/// are written in their texts' order.
private struct ReportKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ property: Property) { stringValue = property.rawValue }
  init?(stringValue: String) { nil }
  init?(intValue: Int) { nil }
}
