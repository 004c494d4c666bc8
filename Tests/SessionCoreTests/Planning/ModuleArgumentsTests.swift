import PulseTypes
import Testing

@testable import SessionCore

/// Names from a server are hostile: whatever they hold, PulseAudio must read back just them.
///
/// The parsers are those of PulseAudio 16.1, rule for rule: `pa_modargs_new`, which unescapes a value
/// and keeps the raw one, and `pa_proplist_from_string`, which gets the raw one.
@Suite struct ModuleArgumentsTests {
  /// Words with everything that a parser gives a meaning.
  static let hostile = [
    "plain", "", " ", "two words", "tab\there", "line\nbreak", "\"", "'", "\\", "\\\\", "\\\"",
    "a\"b'c",
    "ends with \\", "a=b", "x source_name=evil", "\" source_name=evil x=\"", "' master=evil '",
    "ünïcödé 🎤", "\u{1B}[31m", "a\r\nb", "$(reboot)", "%s%n", "'\"'\"'", "\\n", "#", "{}", ",;",
    String(repeating: "\\\"", count: 500),
  ]

  @Test(arguments: hostile) func `a text comes back as it was`(_ text: String) throws {
    let argument = ModuleArguments.render([
      ("master", .text(text)), ("source_name", .text("good")),
    ])
    let parsed = try #require(parseArguments(argument))
    #expect(parsed.values == ["master": text, "source_name": "good"])
  }

  @Test(arguments: hostile) func `a property comes back as it was`(_ text: String) throws {
    let argument = ModuleArguments.render([
      ("source_properties", .properties([("a.b", text), ("c", "d")])),
      ("master", .text("m")),
    ])
    let parsed = try #require(parseArguments(argument))
    #expect(parsed.values["master"] == "m")
    let raw = try #require(parsed.raw["source_properties"])
    #expect(parseProperties(raw) == ["a.b": text, "c": "d"])
  }

  @Test func `a NUL, which no name can have, is left out`() {
    #expect(ModuleArguments.render([("a", .text("x\0y"))]) == "a=\"xy\"")
  }

  @Test func `what needs no quotes has none`() {
    #expect(
      ModuleArguments.render([("a", .text("alsa_input.pci-0000_00_1f.3:x+y,z")), ("b", .text("1"))])
        == "a=alsa_input.pci-0000_00_1f.3:x+y,z b=1")
    #expect(ModuleArguments.render([]) == "")
  }

  @Test(arguments: hostile) func `a remap of a hostile master`(_ master: String) throws {
    let spec = RemapSpec(
      direction: .input, master: master, masterMap: ChannelMap([.frontRight, .frontLeft]),
      map: .stereo)
    let parsed = try #require(parseArguments(spec.moduleArgument))
    #expect(parsed.values["master"] == master)
    #expect(parsed.values["source_name"] == "audiosession.input")
    #expect(parsed.values["channels"] == "2")
    #expect(parsed.values["master_channel_map"] == "front-right,front-left")
    #expect(parsed.values["channel_map"] == "front-left,front-right")
    #expect(parsed.values["remix"] == "no")
    let raw = try #require(parsed.raw["source_properties"])
    #expect(
      parseProperties(raw) == [
        "audiosession.role": "remap", "device.description": "Audio session input",
      ])
    #expect(parsed.values.count == 7)
  }
}

// MARK: PulseAudio's parsers

private let spaces: Set<Unicode.Scalar> = [" ", "\t", "\n", "\r", "\u{B}", "\u{C}"]

private struct Arguments {
  /// As `pa_modargs_get_value` gives them.
  var values: [String: String] = [:]
  /// As `pa_modargs_get_value_raw` gives them.
  var raw: [String: String] = [:]
}

/// `pa_modargs_new`; nil where PulseAudio refuses the arguments.
private func parseArguments(_ text: String) -> Arguments? {
  var result = Arguments()
  var rest = Array(text.unicodeScalars)[...]
  while true {
    rest = rest.drop { spaces.contains($0) }
    guard !rest.isEmpty else { return result }
    guard let key = takeKey(&rest) else { return nil }
    guard result.raw[key] == nil, let value = takeValue(&rest) else { return nil }
    result.raw[key] = value
    result.values[key] = unescape(value)
  }
}

/// `pa_proplist_from_string`; nil where PulseAudio refuses the list.
private func parseProperties(_ text: String) -> [String: String]? {
  var result: [String: String] = [:]
  var rest = Array(text.unicodeScalars)[...]
  while true {
    rest = rest.drop { spaces.contains($0) }
    guard !rest.isEmpty else { return result }
    guard let key = takeKey(&rest), let value = takeValue(&rest) else { return nil }
    result[key] = unescape(value)
  }
}

private func takeKey(_ rest: inout ArraySlice<Unicode.Scalar>) -> String? {
  guard let equals = rest.firstIndex(of: "="), equals > rest.startIndex else { return nil }
  let key = rest[..<equals]
  guard !key.contains(where: { spaces.contains($0) }) else { return nil }
  rest = rest[(equals + 1)...]
  return string(key)
}

/// A value with its backslashes: up to the quote that opened it, or the next space.
private func takeValue(_ rest: inout ArraySlice<Unicode.Scalar>) -> String? {
  let quote: Unicode.Scalar? = rest.first == "\"" || rest.first == "'" ? rest.removeFirst() : nil
  var value: [Unicode.Scalar] = []
  while let next = rest.popFirst() {
    if next == "\\" {
      value.append(next)
      guard let escaped = rest.popFirst() else { return nil }
      value.append(escaped)
    } else if next == quote || (quote == nil && spaces.contains(next)) {
      return string(value[...])
    } else {
      value.append(next)
    }
  }
  return quote == nil ? string(value[...]) : nil
}

private func unescape(_ text: String) -> String {
  var result: [Unicode.Scalar] = []
  var rest = Array(text.unicodeScalars)[...]
  while let next = rest.popFirst() {
    result.append(next == "\\" ? rest.popFirst() ?? next : next)
  }
  return string(result[...])
}

private func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
  var result = String.UnicodeScalarView()
  result.append(contentsOf: scalars)
  return String(result)
}
