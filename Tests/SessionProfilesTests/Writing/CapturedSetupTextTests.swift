import PulseTypes
import SessionCore
import SessionProfiles
import Testing

/// A saved setup as a file.
@Suite struct CapturedSetupTextTests {
  @Test(arguments: [Machine.laptop, .server])
  func `it reads back as it was, with a comment for each key`(_ machine: Machine) throws {
    var snapshot = machine.snapshot
    snapshot.sinks[0].volume = ChannelVolumes(Volume(fraction: 0.337), channels: 2)
    snapshot.sinks[0].isMuted = true
    let setup = CapturedSetup(of: snapshot)
    let text = ProfileWriter.toml(setup)
    let parsed = try Profile.parse(text, name: "saved")
    #expect(parsed.mode == setup.mode)
    #expect(parsed.match == ProfileMatch(inputs: setup.inputs, outputs: setup.outputs))
    #expect(parsed.mode.outputMuted == true)
    let lines = text.split(separator: "\n")
    for (line, above) in zip(lines.dropFirst(2), lines.dropFirst(1)) where line.contains(" = ") {
      let isSecond = line.hasPrefix("outputs") && above.hasPrefix("inputs")
      #expect(above.hasPrefix("# ") || isSecond, "\(line)")
    }
  }

  @Test func `what a profile cannot say of a port is left out`() throws {
    for name in ["a\u{1}", "type:mic"] {
      var snapshot = Machine.laptop.snapshot
      let index = try #require(
        snapshot.sources.firstIndex { $0.name == snapshot.server.defaultSourceName })
      let port = DevicePort(name: name, direction: .input)
      #expect(snapshot.sources[index].ports.count > 1)
      snapshot.sources[index].ports.append(port)
      snapshot.sources[index].activePort = name
      let setup = CapturedSetup(of: snapshot)
      #expect(setup.mode.inputPort == nil && setup.left.count == 1, "\(setup.left)")
      #expect(throws: Never.self) { try Profile.parse(ProfileWriter.toml(setup), name: "saved") }
    }
  }

  @Test func `what a server says does not end a comment`() throws {
    var snapshot = Machine.server.snapshot
    snapshot.sinks[0].description = "evil\ncategory = \"record\"\u{7f}"
    let setup = CapturedSetup(of: snapshot)
    let parsed = try Profile.parse(ProfileWriter.toml(setup), name: "saved")
    #expect(parsed.mode == setup.mode)
    #expect(parsed.mode.category == nil)
  }
}
