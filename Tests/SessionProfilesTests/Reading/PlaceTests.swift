import SessionCore
import SessionProfiles
import Testing

/// Where an error is said to be, in all the ways that TOML allows to write a key.
@Suite struct PlaceTests {
  @Test(arguments: [
    ("x = 1", "1:1"),
    ("\n\n   x = 1", "3:4"),
    ("\"x\" = 1", "1:1"),
    ("category = 'record' # x = 1\nx = 1", "2:1"),
    ("description = 'x = 1'\nx = 1", "2:1"),
    ("description = \"\"\"\nx = 1\n[y]\n\"\"\"\nx = 1", "5:1"),
    ("description = '''a''''\nx = 1", "2:1"),
    ("description = \"a \\\" # b\"\nx = 1", "2:1"),
    ("description = 'ümläut 🎙'\nx = 1", "2:1"),
    ("mode = 'default'\r\nx = 1", "2:1"),
    ("\u{FEFF}x = 1", "1:1"),
    ("input.mute = true\ninput.x = 1", "2:1"),
    ("input = { mute = true, x = 1 }", "1:24"),
    ("[ input ]\n\tx = 1", "2:2"),
    ("[input]\nmute = true # [output]\n\n[output]\nx = 1", "5:1"),
    ("[input]\nprefer = [ # first\n 'a', # ] second\n { x = 1 } ]", "4:4"),
    ("[[x]]\na = 1\n[[x]]\na = 1", "1:1"),
    ("[x.y]\nz = 1", "1:1"),
  ])
  func `unknown key`(_ text: String, _ place: String) throws {
    let error = try #require(throws: SessionError.self) { try Profile.parse(text, name: "t") }
    #expect(error.code == .unknownKey)
    #expect(error.message.hasPrefix("t:\(place): unknown key"), "\(error.message)")
  }
}
