/// The one place that writes module arguments: names from a server are hostile.
///
/// PulseAudio splits arguments at white space, takes values in double or single quotes, and takes a
/// backslash before any character. A property list is quoted twice: its values, then the whole.
public enum ModuleArguments {
  /// `key=value` pairs as one argument string, each value quoted where it must be.
  public static func render(_ pairs: [(key: String, value: String)]) -> String {
    pairs.map { "\($0.key)=\(quoted($0.value))" }.joined(separator: " ")
  }

  /// A property list as a value for `render`.
  public static func properties(_ pairs: [(key: String, value: String)]) -> String {
    pairs.map { "\($0.key)=\"\(escaped($0.value))\"" }.joined(separator: " ")
  }

  private static func quoted(_ value: String) -> String {
    let isPlain =
      !value.isEmpty
      && value.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
          || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || "_-.,:+".utf8.contains(byte)
      }
    return isPlain ? value : "\"\(escaped(value))\""
  }

  private static func escaped(_ value: String) -> String {
    var result = ""
    for scalar in value.unicodeScalars {
      // A NUL would end the string for the server; it cannot be part of any name.
      if scalar == "\0" { continue }
      if scalar == "\\" || scalar == "\"" { result.unicodeScalars.append("\\") }
      result.unicodeScalars.append(scalar)
    }
    return result
  }
}
