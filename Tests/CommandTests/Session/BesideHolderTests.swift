import AudioSession
import FoundationEssentials
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

/// What `plan`, `explain` and `doctor` know of the process that holds the session.
@Suite("Beside a holder", .timeLimit(.minutes(10)))
struct BesideHolderTests {
  private static let servers: [ServerKind] = [.pulseaudio, .pipewire]

  /// The preferences that `state` reports as not in effect, with verdict and reason.
  private static func unmet(_ state: JSONValue) -> [String: [JSONValue?]] {
    guard case .object(let reports)? = state["properties"] else { return [:] }
    return reports.filter { report in
      ![.string("applied"), .string("unset")].contains(report.value["verdict"])
    }.mapValues { [$0["verdict"], $0["reason"]] }
  }

  @Test(
    "plan agrees with state about rate and buffer", .pipewire, arguments: servers,
    [
      "sample-rate = 48000\nbuffer-duration = \"20 ms\"\n",
      // One rate, and no such buffer: what the device cannot do is the same in both.
      "sample-rate = 32000\nbuffer-duration = \"2 s\"\n",
    ])
  func planAgrees(_ kind: ServerKind, _ hints: String) async throws {
    try await PulseSandbox.with(.minimal(on: kind)) { sandbox in
      try sandbox.write(profile: "test", "category = \"record\"\n" + hints)
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory); $A apply test --keep > /dev/null || exit 9
        $A state --json > s.json; $A plan test --json > p.json
        $A stop > /dev/null
        cat p.json; echo ----; cat s.json
        """)
      let parts = result.standardOutput.components(separatedBy: "----\n")
      try #require(parts.count == 2, "\(result)")
      let plan = try JSONValue(parts[0])
      #expect(plan["steps"]?.array == [])
      let planned = (plan["unmet"]?.array ?? []).reduce(into: [String: [JSONValue?]]()) {
        guard case .string(let name)? = $1["property"] else { return }
        $0[name] = [$1["verdict"], $1["reason"]]
      }
      #expect(planned == Self.unmet(try JSONValue(parts[1])), "\(result)")
      // Two empty lists would agree as well.
      let isAllGranted = kind == .pipewire && hints.contains("48000")
      #expect(isAllGranted || !planned.isEmpty, "\(result)")
    }
  }

  @Test("a holder with files of its own is not ended, and not called none", .server)
  func otherFiles() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", "category = \"record\"\n")
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory); $A apply test --keep > /dev/null || exit 9
        XDG_STATE_HOME=$PWD/other $A stop; echo $?
        $A stop > /dev/null; echo $?
        XDG_STATE_HOME=$PWD/other $A stop; echo $?
        """)
      #expect(
        result.standardOutput
          == "76\n0\nNo process maintains the session; there is nothing to stop.\n0\n", "\(result)")
      #expect(result.standardError.contains("its own XDG_STATE_HOME"), "\(result)")
    }
  }

  @Test("a holder that waits for its server is there without one", .server)
  func waiting() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", "category = \"record\"\n")
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory); $A apply test --keep > /dev/null || exit 9
        pid=$($A state --json | sed -n 's/.*"holder": {.*"pid": \\([0-9]*\\).*/\\1/p')
        $A sandbox simulate kill > /dev/null
        $A state --json | grep -c "\\"pid\\": $pid,"; $A state | grep -c "process $pid"
        $A | grep -c 'stored for the next server'
        $A stop > /dev/null
        """)
      #expect(result.standardOutput == "1\n1\n0\n", "\(result)")
    }
  }

  @Test("the default's causes are the profile, its holder, and who competes for it", .server)
  func conflict() async throws {
    try await PulseSandbox.with(.nullDevices) { sandbox in
      try sandbox.write(
        profile: "desk", "category = \"record\"\n[input]\nprefer = [\"usb_mic\"]\n")
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory); $A apply desk --keep > /dev/null || exit 9
        $A explain microphone --json
        until $A state --json | sed -n '/"conflicts"/,/]/p' | grep -q '"default source"'; do
          $A sandbox simulate compete default-input internal_mic --as mixer --for 1s > /dev/null
        done
        $A state --json > s.json; $A explain default source --json; $A doctor --no-listen --json; echo $?
        { $A state; $A explain mic; $A doctor --no-listen; } > texts
        cat s.json; tr -s '\n ' ' ' < texts >&2
        $A stop > /dev/null
        """)
      let documents = result.standardOutput.components(separatedBy: "\n{").map {
        $0.hasPrefix("{") ? $0 : "{" + $0
      }
      try #require(documents.count == 4, "\(result)")
      // The session's own restoring is not another program's choice.
      for event in try JSONValue(documents[3])["events"]?.array ?? []
      where event["current"]?["inputs"]?.array.first?["name"] == .string("usb_mic") {
        #expect(event["reason"] != .string("override"), "\(event)")
      }
      // The end of the pause, the same everywhere, in the local time zone.
      let schema = try JSONSchema("state").problems(of: try JSONValue(documents[3]))
      #expect(schema == [])
      let ends = result.standardError.matches(
        of:
          /(left alone|leaves it alone|to the other program) until (?:\d{4}-\d\d-\d\d )?(\d\d:\d\d:\d\d)[.; ]/
      )
      #expect(
        ends.map(\.1) == [
          "left alone", "leaves it alone", "leaves it alone", "to the other program",
        ])
      #expect(Set(ends.map(\.2)).count == 1, "\(result.standardError)")
      let before = try JSONValue(documents[0])["causes"]?.array.first
      guard case .string(let cause)? = before else {
        Issue.record("no cause: \(result)")
        return
      }
      #expect(cause.hasPrefix("the session's profile 'desk' asks for this value; audiosession"))
      #expect(cause.hasSuffix("maintains the session"))
      let causes = try JSONValue(documents[1])["causes"]?.array.compactMap { value -> String? in
        if case .string(let text) = value { text } else { nil }
      }
      let contested = try #require(causes?.first { $0.contains("again and again") })
      // The most likely first: the sandbox's own client, which waits for the mixer, may follow.
      #expect(
        contested.contains(/leaves it alone until [-\dT:.]+Z\. Likely: mixer/), "\(contested)")
      let doctor = documents[2]
      #expect(doctor.hasSuffix("}\n3"))
      let findings = try JSONValue(String(doctor.dropLast(1)))["findings"]?.array
      let finding = findings?.first { $0["code"] == .string("conflict") }
      #expect(finding?["object"] == .string("mixer"), "\(doctor)")
      #expect(finding?["severity"] == .string("warning"))
    }
  }

  @Test("doctor speaks of a microphone that was unplugged", .server)
  func missingMicrophone() async throws {
    try await PulseSandbox.with(.nullDevices) { sandbox in
      try sandbox.write(
        profile: "desk",
        "category = \"record\"\n[input]\nprefer = [\"usb_mic\", \"internal_mic\"]\n")
      let result = try await sandbox.shell(
        """
        $A apply desk --keep > /dev/null || exit 9
        $A doctor --no-listen | grep -c 'first choice'; $A state | grep -c 'first choice'
        $A sandbox simulate unplug usb_mic > /dev/null
        until ! pactl list short sources | grep -q usb_mic; do pause; done
        $A doctor --no-listen; echo ---; $A state | grep -A1 'preferred input'
        $A explain mic | head -n 2; $A explain mic --json | grep absent
        $A stop > /dev/null
        """)
      let parts = result.standardOutput.components(separatedBy: "---\n")
      try #require(parts.count == 2, "\(result)")
      #expect(parts[0].hasPrefix("0\n0\n"), "\(result)")
      let finding = """
        note  usb_mic
          the profile's first choice of the input is not connected: programs use Built-in Microphone
          The profile names others behind it, and the session uses the first that is there.
        """
      #expect(parts[0].contains(finding), "\(result)")
      #expect(parts[0].contains("audiosession devices"))
      #expect(
        parts[1] == """
          preferred input     applied  Built-in Microphone
              the first choice, usb_mic, is not there
          preferred input  applied  Built-in Microphone
              the first choice, usb_mic, is not there
            "absent": "usb_mic",

          """, "\(result)")
    }
  }

  @Test("doctor speaks of a holder that was killed, and not of one that ended", .server)
  func killedHolder() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      let result = try await sandbox.shell(
        """
        holder() { $A state --json | sed -n 's/.*"holder": {.*"pid": \\([0-9]*\\).*/\\1/p'; }
        $A apply test --keep > /dev/null || exit 9
        $A stop > /dev/null; $A doctor --no-listen | grep -c killed
        $A apply test --keep > /dev/null || exit 9
        kill -KILL $(holder); until [ -z "$(holder)" ]; do pause; done
        $A doctor --no-listen; echo $?
        $A revert > /dev/null; $A doctor --no-listen | grep -c killed
        """)
      #expect(result.standardOutput.hasPrefix("0\n"), "\(result)")
      #expect(result.standardOutput.hasSuffix("\n3\n0\n"), "\(result)")
      #expect(result.standardOutput.contains("the process that maintained the session ("))
      #expect(result.standardOutput.contains("    audiosession apply test --keep\n"))
    }
  }

  @Test("explain without a property lists them, with the words that mean the same", .server)
  func list() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let text = try await sandbox.audiosession("explain")
      #expect(text.status == 0)
      for property in Property.reported { #expect(text.standardOutput.contains(property.rawValue)) }
      #expect(text.standardOutput.contains("microphone"))
      let json = try await sandbox.audiosession("explain", "--json")
      #expect(try JSONSchema("explain-list").problems(of: try JSONValue(json.standardOutput)) == [])
      for word in ["mic", "microphone", "default-source", "preferredInput"] {
        let result = try await sandbox.audiosession("explain", word)
        #expect(result.standardOutput.hasPrefix("preferred input"), "\(word)")
      }
    }
  }
}
