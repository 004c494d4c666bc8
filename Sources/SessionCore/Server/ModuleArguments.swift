/// The one place that writes module arguments: names from a server are hostile.
///
/// PulseAudio splits arguments at white space, takes values in double or single quotes, and takes a
/// backslash before any character. It hands a property list on with its backslashes, for a second
/// parser with the same rules: there everything is escaped once, values in single quotes and the
/// whole in double ones.
package enum ModuleArguments {
  package enum Value: Sendable {
    /// Plain text, such as a name or a channel map.
    case text(String)
    /// A property list: keys that must not need quoting, and any texts.
    case properties([(key: String, value: String)])
  }

  /// `key=value` pairs as one argument string, with values quoted if necessary.
  package static func render(_ pairs: [(key: String, value: Value)]) -> String {
    pairs.map { "\($0.key)=\(render($0.value))" }.joined(separator: " ")
  }

  private static func render(_ value: Value) -> String {
    switch value {
    case .text(let text): isPlain(text) ? text : "\"\(escaped(text))\""
    case .properties(let list):
      "\"" + list.map { "\($0.key)='\(escaped($0.value))'" }.joined(separator: " ") + "\""
    }
  }

  private static func isPlain(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0.isBare || ".,:+/".utf8.contains($0) }
  }

  private static func escaped(_ value: String) -> String {
    var result = ""
    for scalar in value.unicodeScalars {
      // A NUL would end the string for the server; it cannot be part of any name.
      if scalar == "\0" { continue }
      if scalar == "\\" || scalar == "\"" || scalar == "'" { result.unicodeScalars.append("\\") }
      result.unicodeScalars.append(scalar)
    }
    return result
  }
}
