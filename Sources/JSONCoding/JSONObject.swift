/// An object of JSON whose members have an order; a value that is missing is null.
package struct JSONObject: Encodable, ExpressibleByDictionaryLiteral {
  /// A key that cannot be made from any text. By that the encoder knows that the members keep their
  /// order; those of a dictionary are sorted.
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
  }

  package typealias Key = String
  package typealias Value = any Encodable

  private let members: [(String, any Encodable)]

  package init(_ members: [(String, any Encodable)]) { self.members = members }

  package init(dictionaryLiteral members: (String, any Encodable)...) { self.init(members) }

  /// These members, and others after them.
  package static func + (one: JSONObject, other: JSONObject) -> JSONObject {
    JSONObject(one.members + other.members)
  }

  /// These members, and one more unless its value is missing.
  package func adding(_ key: String, _ value: (some Encodable)?) -> JSONObject {
    guard let value else { return self }
    return JSONObject(members + [(key, value)])
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Name.self)
    for (key, value) in members { try values.encode(value, forKey: Name(key)) }
  }
}
