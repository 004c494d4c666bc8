import AudioSession
import FoundationEssentials
import PulseSandbox
import TestSupport
import Testing

/// Whether a program with a session or the command maintains a profile, the same is reported.
@Suite("A program and the command as holders", .timeLimit(.minutes(10)))
struct HolderKindsTests {
  /// Another program takes the default once, then again and again until it is left alone.
  private static let rival = """
    pactl set-default-source internal_mic
    until $A state --json | grep -q '"event": "reapplied"'; do pause; done
    $A state --json; echo ---
    until seen=$($A state --json); echo "$seen" | grep -q '"overridden"' &&
      echo "$seen" | sed -n '/"conflicts"/,/]/p' | grep -q '"default source"'
    do
      i=$((i + 1)); echo try >&2; [ $i -le 20 ] || break
      $A sandbox simulate compete default-input internal_mic --as mixer --for 1s > /dev/null
    done
    echo "$seen"
    """

  /// Checks what the two states say of the default: who took it, and who restored it.
  private func check(_ result: CommandResult) throws {
    let states = try result.standardOutput.components(separatedBy: "---\n").map {
      try JSONValue($0)
    }
    noteTries(result.standardError, of: 20)
    try #require(states.count == 2, "\(result)")
    let reports = states.map { $0["properties"]?["preferredInput"] }
    #expect(reports.map { $0?["verdict"] } == [.string("applied"), .string("overridden")])
    #expect(
      reports[1]?["reason"]
        == .string("the default is internal_mic, not usb_mic: it has changed since it was set"))
    for event in states.flatMap({ $0["events"]?.array ?? [] }) {
      switch event["current"]?["inputs"]?.array.first?["name"] {
      case .string("internal_mic"): #expect(event["reason"] == .string("override"), "\(event)")
      case .string("usb_mic"): #expect(event["reason"] == .string("categoryChange"), "\(event)")
      default: #expect(event["event"] != .string("routeChanged"))
      }
    }
  }

  @Test("a default that another program takes is reported in the same words", .server)
  func restoredDefault() async throws {
    try await PulseSandbox.with(.nullDevices) { sandbox in
      try sandbox.write(
        profile: "desk", "category = \"record\"\n[input]\nprefer = [\"usb_mic\"]\n")
      let result = try await sandbox.shell(
        "$A apply desk --keep > /dev/null || exit 9\n\(Self.rival); $A stop > /dev/null")
      try check(result)
    }
    try await PulseSandbox.with(.nullDevices) { sandbox in
      var configuration = SessionConfiguration(isHolding: true, name: "program")
      configuration.timeout = .seconds(30)
      configuration.storeFolder =
        try #require(sandbox.environment["XDG_STATE_HOME"]) + "/audiosession"
      let session = AudioSession(server: sandbox.address, configuration: configuration)
      var mode = AudioMode(category: .record)
      mode.preferredInput = ["usb_mic"]
      try await session.setAudioMode(mode)
      let result = try await sandbox.shell(Self.rival)
      await session.close()
      try check(result)
    }
  }

  @Test("of a program's mode, which has no profile, no command that needs one is proposed", .server)
  func modeWithoutProfile() async throws {
    try await PulseSandbox.with(.nullDevices) { sandbox in
      let script = """
        pactl set-source-mute usb_mic 1; until $A state | grep -q 'is muted'; do pause; done
        $A; $A state; $A doctor --no-listen
        """
      var results: [String] = []
      for isHolding in [true, false] {
        var configuration = SessionConfiguration(isHolding: isHolding, name: "program")
        configuration.timeout = .seconds(30)
        configuration.storeFolder =
          try #require(sandbox.environment["XDG_STATE_HOME"]) + "/audiosession"
        let session = AudioSession(server: sandbox.address, configuration: configuration)
        var mode = AudioMode(category: .record)
        mode.preferredInput = ["usb_mic"]
        mode.inputMuted = false
        try await session.setAudioMode(mode)
        results.append(try await sandbox.shell(script).standardOutput)
        await session.close()
      }
      #expect(results[0].contains("  audiosession verify  record"), "\(results[0])")
      #expect(!results[0].contains("to restore what"))
      #expect(
        results[1].contains("  audiosession watch   maintain it from now on"), "\(results[1])")
      #expect(results[1].contains("no process maintains it now; this does: audiosession watch\n"))
      #expect(results[1].contains("\n    audiosession watch\n"))
    }
  }
}
