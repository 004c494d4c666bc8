import AudioSession
import FoundationEssentials
import PulseSandbox
import TestSupport
import Testing

@testable import audiosession

/// `state` shows what was read for each verdict.
@Suite("What was read for a verdict", .timeLimit(.minutes(10)))
struct ReadingViewTests {
  private static let report = PropertyReport.made(
    preferred: .number(0.8), actual: .number(0.8), verdict: .applied,
    readings: [
      [
        "object": "alsa_input.usb-Example_USB_Microphone-00.analog-stereo", "property": "volume",
        "text": "80 %", "answer": "source",
      ]
    ])

  @Test("with -v it is below the property, at any width", arguments: [40, 80, 200])
  func view(_ width: Int) {
    let permission = PropertyReport.made(
      preferred: .strings(["mix-with-others"]), actual: .strings(["mix-with-others"]),
      verdict: .applied, nothingToRead: "'mix-with-others' is a permission")
    let properties: [Property: PropertyReport] = [.inputGain: Self.report, .options: permission]
    let lines = PropertiesView.lines(
      properties, width: width, preferredOnly: true, showsReadings: true)
    for line in lines { #expect(line.width <= width, "\(line.rendered(colour: false))") }
    let text = lines.rendered(colour: false)
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("read: volume of alsa_input.usb-Exa"), "\(text)")
    #expect(words.contains("is 80 % (source)"), "\(text)")
    #expect(words.contains("nothing to read: 'mix-with-others' is a permission"), "\(text)")
    let quiet = PropertiesView.lines(properties, width: width, preferredOnly: true)
    #expect(!quiet.rendered(colour: false).contains("read:"))
  }

  @Test("what was granted is shown, with the preferred value if it differs")
  func granted() throws {
    let text = """
      {"preferred": 0.01, "actual": 2, "verdict": "pending", "reason": "r", "waitingFor": "holder",
       "readings": [{"object": "mic", "property": "latency", "value": 0.010666, "text": "10.7 ms",
                     "answer": "grant"}]}
      """
    let report = try JSONDecoder().decode(PropertyReport.self, from: Data(text.utf8))
    let lines = PropertiesView.lines(
      [.ioBufferDuration: report], width: nil, preferredOnly: true, showsGrants: true)
    #expect(
      lines.rendered(colour: false)
        == "IO buffer duration  granted  10.7 ms  (preferred: 10 ms)\n")
  }

  @Test("a report that is read back has them")
  func coding() throws {
    let again = try JSONDecoder().decode(
      PropertyReport.self, from: JSONEncoder().encode(Self.report))
    #expect(again == Self.report)
    #expect(again.readings.first?.answer == .source)
  }

  @Test("the command shows the server's object and answer", .server)
  func command() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "quiet", "category = \"record\"\n[input]\ngain = \"40 %\"\n")
      _ = try await sandbox.audiosession("apply", "quiet")
      let plain = try await sandbox.audiosession("state")
      #expect(!plain.standardOutput.contains("read: "))
      let state = try await sandbox.audiosession("state", "-v")
      for line in [
        "read: volume of mic is 40 % (source)", "read: default source of server is mic (server)",
      ] {
        #expect(state.standardOutput.contains(line), "\(state.standardOutput)")
      }
    }
  }
}
