import PulseSandbox
import TestSupport
import Testing

@Suite("Demo and stop", .timeLimit(.minutes(10)))
struct DemoTests {
  @Test(
    "every step of the demo comes out, on both servers", .pipewire, arguments: ["", "--pipewire"])
  func demo(_ option: String) async throws {
    try await PulseSandbox.with(.empty) { outer in
      let result = try await outer.shell("$A demo \(option) --json")
      let json = try JSONValue(result.standardOutput)
      #expect(result.status == 0, "\(result.standardOutput)")
      #expect(json["ok"] == .bool(true))
      let steps = ["plan", "apply", "conflict", "unplug", "plug", "restart", "revert"]
      let seen = json["steps"]?.array ?? []
      #expect(seen.map { $0["step"] } == steps.map { .string($0) })
      #expect(seen.allSatisfy { $0["ok"] == .bool(true) })
    }
  }

  @Test("the demo says what it saw, in lines for people", .server)
  func lines() async throws {
    try await PulseSandbox.with(.empty) { outer in
      // Of the system it needs the package pulseaudio alone.
      let result = try await outer.shell(
        """
        mkdir \(outer.directory)/bin; ln -s "$(command -v pulseaudio)" \(outer.directory)/bin
        PATH=\(outer.directory)/bin AUDIOSESSION_SIMULATED_CARD=/none $A demo
        """)
      #expect(result.status == 0)
      #expect(!result.standardOutput.contains("input port"), "the device has none: \(result)")
      let lines = result.standardOutput.split(separator: "\n")
      #expect(lines.count { $0.hasPrefix("ok ") } == 7)
      #expect(result.standardOutput.contains("input gain 80 %"))
      #expect(result.standardOutput.hasSuffix("  audiosession apply podcast --keep\n"))
      let wrong = try await outer.shell("$A demo --server unix:/x")
      #expect(wrong.status == 64)
    }
  }

  @Test("a step that does not come out is said, and the status is 71", .server)
  func failure() async throws {
    try await PulseSandbox.with(.empty) { outer in
      let result = try await outer.shell(
        """
        cd \(outer.directory)
        export AUDIOSESSION_SIMULATED_CARD=/none TMPDIR=$PWD
        $A demo --slow > out & pid=$!
        until grep -q '^ok' out; do kill -0 $pid || exit 9; pause; done
        export PULSE_SERVER=unix:$(echo $PWD/pulse-*/pulse.sock)
        pactl unload-module $(pactl list short modules | grep source_name=usb_mic | cut -f 1)
        wait $pid; echo $?; cat out
        """)
      let lines = result.standardOutput.split(separator: "\n")
      #expect(lines.first == "71", "\(result)")
      #expect(lines.last == "A step failed; 'audiosession doctor' may show why.")
      #expect(lines.count { $0.hasPrefix("FAILED  ") } == 1, "\(result)")
      #expect(!result.standardOutput.contains("Now on your machine"))
    }
  }

  @Test("stop ends what --keep started, and what is applied stays", .server)
  func stop() async throws {
    try await PulseSandbox.with(.minimal) { outer in
      let none = try await outer.audiosession("stop")
      #expect(none.status == 0)
      #expect(none.standardOutput.hasPrefix("No process maintains the session"))
      try outer.write(profile: "quiet", "[input]\ngain = \"30 %\"\n")
      #expect(try await outer.audiosession("apply", "quiet", "--keep").status == 0)
      let held = try JSONValue(try await outer.audiosession("state", "--json").standardOutput)
      let process = try #require(held["holder"]?["pid"])
      let stopped = try await outer.audiosession("stop", "--json")
      #expect(stopped.status == 0)
      #expect(try JSONValue(stopped.standardOutput)["stopped"]?["pid"] == process)
      let state = try JSONValue(try await outer.audiosession("state", "--json").standardOutput)
      #expect(state["holder"] == .null)
      #expect(state["properties"]?["inputGain"]?["actual"] == .number(0.3))
      #expect(try await outer.audiosession("revert").status == 0)
    }
  }

  @Test("stop says what stays only where something does", .server)
  func stopAfterRevert() async throws {
    try await PulseSandbox.with(.minimal) { outer in
      try outer.write(profile: "quiet", "[input]\ngain = \"30 %\"\n")
      for (command, stays) in [("true", true), ("$A revert > /dev/null", false)] {
        let result = try await outer.shell(
          "$A apply quiet --keep > /dev/null && \(command) && $A stop")
        #expect(result.status == 0)
        #expect(result.standardOutput.hasPrefix("Stopped audiosession"), "\(result)")
        #expect(result.standardOutput.contains("Devices stay as they are") == stays, "\(result)")
      }
    }
  }

  @Test("stop and service status find a holder whose server is down", .server)
  func stopWithoutServer() async throws {
    try await PulseSandbox.with(.minimal) { outer in
      try outer.write(profile: "quiet", "[input]\ngain = \"30 %\"\n")
      let watch = try await Watching.start(outer, "quiet --json")
      try await outer.terminate()
      #expect(try await watch.says("\"serverLost\""))
      let service = try await outer.audiosession("service", "status", "--json")
      #expect(try JSONValue(service.standardOutput)["holder"]?["name"] == .string("audiosession"))
      let stopped = try await outer.audiosession("stop")
      #expect(stopped.status == 0, "\(stopped)")
      #expect(stopped.standardOutput.hasPrefix("Stopped audiosession"), "\(stopped)")
      #expect(try await outer.audiosession("stop").status == 69)
      _ = try await watch.end()
    }
  }

  @Test("stop and service status find a holder whose server hangs, and do not wait for it", .server)
  func stopWithHungServer() async throws {
    try await PulseSandbox.with(.minimal) { outer in
      try outer.write(profile: "quiet", "[input]\ngain = \"30 %\"\n")
      let watch = try await Watching.start(outer, "quiet --json")
      try await outer.freeze()
      let service = try await outer.audiosession("service", "status", "--json")
      #expect(try JSONValue(service.standardOutput)["holder"]?["name"] == .string("audiosession"))
      // Twice the time limit of this call would be longer than it may take.
      let stopped = try await outer.audiosession("stop")
      #expect(stopped.status == 0, "\(stopped)")
      #expect(stopped.standardOutput.hasPrefix("Stopped audiosession"), "\(stopped)")
      try await outer.thaw()
      _ = try await watch.end()
    }
  }
}
