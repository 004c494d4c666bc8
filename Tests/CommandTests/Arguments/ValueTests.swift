import AudioSession
import Testing

@testable import audiosession

@Suite("Arguments, exit codes, JSON")
struct ValueTests {
  @Test(
    "times", arguments: zip(["500ms", "5s", "1.5 s", "1m", "2"], [500, 5000, 1500, 60_000, 2000]))
  func times(_ text: String, _ milliseconds: Int) {
    #expect(TimeLimit(argument: text)?.duration == .milliseconds(milliseconds))
  }

  @Test("no times", arguments: ["", "s", "0", "-1s", "5x", "1e9s", "999999h", "5s5", "nan", "∞"])
  func noTimes(_ text: String) { #expect(TimeLimit(argument: text) == nil) }

  static let codes: [(SessionError.Code, SessionError.Stage, Int32)] = [
    (.invalidValue, .configuration, 65), (.unknownKey, .configuration, 65),
    (.missingDataSourceName, .configuration, 65), (.polarPatternNotSupported, .configuration, 65),
    (.profileNotFound, .configuration, 66), (.serverUnreachable, .server, 69),
    (.serverLost, .server, 69), (.refused, .server, 71), (.activationFailed, .session, 71),
    (.storeFailed, .session, 74), (.timedOut, .server, 75), (.isBusy, .session, 76),
    (.accessDenied, .server, 77), (.inputNotAvailable, .device, 78),
    (.polarPatternNotSupported, .device, 78), (.invalidValue, .device, 78),
    (.hintNotGranted, .device, 78), (.categoryNotSupported, .device, 78),
    (.cancelled, .session, 130),
  ]

  @Test("every failure has its exit code", arguments: codes)
  func status(_ code: SessionError.Code, _ stage: SessionError.Stage, _ expected: Int32) {
    #expect(Status(SessionError(code, stage: stage, "")).rawValue == expected)
  }

  @Test("an unforeseen error is a bug")
  func bug() {
    struct Unforeseen: Error {}
    #expect(Failure(Unforeseen()).status == .bug)
  }

  @Test("JSON: documented order, short lists on a line, every key of an error")
  func json() throws {
    let error = SessionError(
      .portNotAvailable, stage: .device, "no \"port\" \u{1b}\u{9b}\\", alternatives: ["a", "b"])
    #expect(
      try JSONText.encode(Failure(error).json) == """
        {
          "schema": 1,
          "error": {
            "code": "portNotAvailable",
            "message": "no \\"port\\" \\u001b\\u009b\\\\",
            "property": null,
            "value": null,
            "alternatives": ["a", "b"],
            "restored": null
          }
        }

        """)
  }
}
