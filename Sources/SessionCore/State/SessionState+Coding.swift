package import JSONCoding

extension SessionState: Encodable {
  enum CodingKeys: CodingKey {
    case schema, server, active, profile, scope, holder, capabilities, properties, route
    case interrupted, resets, reapplies, conflicts, pins, processing, events, notes
  }

  /// Writes every key, as null if there is no value, with any encoder.
  public func encode(to encoder: any Encoder) throws {
    let members: JSONObject = [
      "schema": schema, "server": server, "active": active, "profile": profile, "scope": scope,
      "holder": holder, "capabilities": capabilities, "properties": properties.json,
      "route": route, "interrupted": interrupted, "resets": resets, "reapplies": reapplies,
      "conflicts": conflicts, "pins": pins, "processing": processing, "events": events,
      "notes": notes,
    ]
    try members.encode(to: encoder)
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

extension [Property: PropertyReport] {
  /// The reports in the order of the properties; other dictionaries have the order of their keys' texts.
  package var json: JSONObject {
    JSONObject(
      Property.allCases.compactMap { property in
        self[property].map { (property.rawValue, $0) }
      })
  }
}
