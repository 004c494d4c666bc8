import FoundationEssentials
import TestSupport

/// The part of JSON Schema that `.packaging/schema` uses.
struct JSONSchema {
  static let folder = packageFolder + "/.packaging/schema"

  private let files: [String: JSONValue]

  /// Reads the schema of a document, and what it refers to.
  init(_ name: String) throws {
    files = try Dictionary(
      uniqueKeysWithValues: [name, "common"].map { name in
        let data = try Data(contentsOf: URL(filePath: "\(Self.folder)/\(name).json"))
        return ("\(name).json", try JSONValue(String(decoding: data, as: UTF8.self)))
      })
    root = "\(name).json"
  }

  private let root: String

  /// What of the value is not as the schema says; empty where all is.
  func problems(of value: JSONValue) -> [String] { check(value, files[root] ?? .null, root, "") }

  private func check(_ value: JSONValue, _ schema: JSONValue, _ file: String, _ path: String)
    -> [String]
  {
    if let reference = schema["$ref"]?.text {
      let parts = reference.split(separator: "#", omittingEmptySubsequences: false)
      let file = parts[0].isEmpty ? file : String(parts[0])
      let target = parts[1].split(separator: "/").reduce(files[file]) { $0?[String($1)] }
      guard let target else { return ["\(path): no schema \(reference)"] }
      return check(value, target, file, path)
    }
    if let choices = schema["anyOf"] {
      let isMet = choices.array.contains { check(value, $0, file, path).isEmpty }
      return isMet ? [] : ["\(path): \(value) is none of anyOf"]
    }
    var problems: [String] = []
    if let type = schema["type"] {
      let types = type.text.map { [$0] } ?? type.array.compactMap(\.text)
      if !types.contains(where: value.has(type:)) { problems.append("\(path): no \(types)") }
    }
    if let values = schema["enum"], !values.array.contains(value) {
      problems.append("\(path): \(value) is not one of the enum")
    }
    if case .object(let object) = value {
      let properties = schema["properties"]
      for key in schema["required"]?.array.compactMap(\.text) ?? [] where object[key] == nil {
        problems.append("\(path): no key \(key)")
      }
      for (key, member) in object.sorted(by: { $0.key < $1.key }) {
        if let schema = properties?[key] ?? schema["additionalProperties"] {
          problems +=
            schema == .bool(false)
            ? ["\(path): unknown key \(key)"] : check(member, schema, file, "\(path)/\(key)")
        }
      }
    }
    if case .array(let elements) = value, let items = schema["items"] {
      for (at, element) in elements.enumerated() {
        problems += check(element, items, file, "\(path)/\(at)")
      }
    }
    return problems
  }
}

extension JSONValue {
  fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }

  fileprivate func has(type: String) -> Bool {
    switch (self, type) {
    case (.null, "null"), (.bool, "boolean"), (.string, "string"), (.array, "array"),
      (.object, "object"), (.number, "number"):
      true
    case (.number(let number), "integer"): number == number.rounded()
    default: false
    }
  }
}
