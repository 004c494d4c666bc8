import JSONCoding

extension SessionState: Encodable {
  enum CodingKeys: CodingKey {
    case schema, server, active, profile, scope, holder, capabilities, properties, route
    case interrupted, resets, reapplies, conflicts, pins, processing, events, notes
  }

  /// Writes every key, as null if there is no value, with any encoder.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(schema, forKey: .schema)
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

extension KeyedDecodingContainer {
  /// Decodes reports, without those of properties that only a newer program knows.
  func decode(
    _ type: [Property: PropertyReport].Type, forKey key: Key
  ) throws -> [Property: PropertyReport] {
    let reports = try decode([String: PropertyReport].self, forKey: key)
    return Dictionary(
      uniqueKeysWithValues: reports.compactMap { name, report in
        Property(rawValue: name).map { ($0, report) }
      })
  }

  /// Decodes events, without those that only a newer program knows.
  func decode(_ type: [TimedEvent].Type, forKey key: Key) throws -> [TimedEvent] {
    try decode([Known<TimedEvent>].self, forKey: key).compactMap(\.value)
  }
}

/// A value, nil if this version does not know it.
private struct Known<Value: Decodable>: Decodable {
  let value: Value?

  init(from decoder: any Decoder) { value = try? Value(from: decoder) }
}

extension KeyedEncodingContainer {
  /// Encodes reports in the order of the properties; other dictionaries have the order of their keys'
  /// texts.
  package mutating func encode(_ reports: [Property: PropertyReport], forKey key: Key) throws {
    let members = Property.allCases.compactMap { property in
      reports[property].map { (property.rawValue, $0 as any Encodable) }
    }
    try encode(JSONObject(members), forKey: key)
  }
}
