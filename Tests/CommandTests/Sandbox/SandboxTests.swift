import PulseSandbox
import TestSupport
import Testing

@Suite("Sandbox", .timeLimit(.minutes(10)))
struct SandboxTests {
  @Test("the command's exit code is passed on", .server, arguments: [0, 7, 255])
  func exitCode(_ code: Int32) async throws {
    try await PulseSandbox.with(.empty) { outer in
      let result = try await outer.audiosession("sandbox", "--", "sh", "-c", "exit \(code)")
      #expect(result.status == code)
      #expect(result.standardOutput.isEmpty)
    }
  }

  @Test("a signal's end is 128 + its number; no such command is 127", .server)
  func otherEnds() async throws {
    try await PulseSandbox.with(.empty) { outer in
      let killed = try await outer.audiosession("sandbox", "--", "sh", "-c", "kill -9 $$")
      #expect(killed.status == 137)
      #expect(try await outer.audiosession("sandbox", "--", "no-such-command").status == 127)
    }
  }

  @Test("what runs inside finds that server, and keeps its state there", .server)
  func inside() async throws {
    try await PulseSandbox.with(.minimal) { outer in
      let result = try await outer.shell(
        "$A sandbox -- sh -c \"$A apply high-quality-stereo >/dev/null 2>&1; $A state\"")
      #expect(result.status == 0)
      #expect(result.standardOutput.contains("session  high-quality-stereo, active\n"))
      #expect(!result.standardOutput.contains(outer.address))
      let state = try await outer.audiosession("state")
      #expect(state.standardOutput.contains("session  none\n"))
    }
  }

  @Test("without simulated cards the USB microphone has a tone, which verify hears", .server)
  func tone() async throws {
    try await PulseSandbox.with(.empty) { sandbox in
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory); export AUDIOSESSION_SIMULATED_CARD=/none
        $A sandbox -- sh -c '
          audiosession explain default-source | grep "own first choice"
          audiosession --plain | head -n 1; pactl set-default-source internal_mic
          audiosession verify --duration 500ms | tail -n 1
          audiosession sandbox simulate unplug usb_mic > out; audiosession sandbox simulate plug usb_mic > out
          audiosession verify podcast --duration 1s | tail -n 1
          audiosession meter --duration 500ms'
        """)
      let silent = """
        - USB Microphone is the server's own first choice; whether it was also chosen cannot be read
        input    USB Microphone
        Not ready: Built-in Microphone is no hardware, and has no sound of its own; \

        """
      #expect(result.standardOutput.hasPrefix(silent), "\(result)")
      let ready = "\nReady: USB Microphone, 48 kHz, 10 ms, -18 dB, no clipping\n"
      // A busy machine may lose sound, or be late.
      let isLate = ["lost sound", "not as preferred"].contains {
        result.standardOutput.contains($0)
      }
      #expect(result.standardOutput.contains(ready) || isLate, "\(result)")
      // Sound on both channels; how loud exactly, a machine that loses some of it cannot tell.
      let levels = /-left \S+ \(peak -[123]\d\.\d\) dB, front-right \S+ \(peak -[23]\d\.\d\) dB\n$/
      #expect(try levels.firstMatch(in: result.standardOutput) != nil, "\(result)")
    }
  }

  @Test("the profiles of its user can be applied inside, and are left alone", .server)
  func profiles() async throws {
    try await PulseSandbox.with(.empty) { outer in
      try outer.write(profile: "mine", "[output]\nvolume = \"40 %\"\n")
      let result = try await outer.shell(
        """
        export AUDIOSESSION_SIMULATED_CARD=/none
        $A sandbox -- sh -c "$A apply mine > /dev/null && $A profiles save desk > /dev/null && $A profiles" \
          | grep -c -E 'mine|desk'
        ls "$XDG_CONFIG_HOME/audiosession/profiles"
        """)
      #expect(result.standardOutput == "2\nmine.toml\n", "\(result)")
    }
  }

  @Test("--sandbox serves one command, and leaves nothing behind", .server)
  func option() async throws {
    try await PulseSandbox.with(.minimal) { outer in
      let result = try await outer.shell(
        "TMPDIR=$XDG_RUNTIME_DIR $A --sandbox apply podcast --json")
      #expect(result.status == 0)
      #expect(
        try JSONValue(result.standardOutput)["properties"]?["category"]?["verdict"]
          == .string("applied")
      )
      let rest = try await outer.shell("ls -A $XDG_RUNTIME_DIR; ls -A $XDG_STATE_HOME")
      #expect(!rest.standardOutput.contains("pulse-"))
      #expect(!rest.standardOutput.contains("audiosession"))
    }
  }

  @Test("a folder in which no sandbox can be is 74, and named", .pipewire, .namespaces)
  func noFolder() async throws {
    try await PulseSandbox.with(.empty) { outer in
      // The last command lists what is left.
      let result = try await outer.shell(
        """
        cd \(outer.directory); mkdir disk
        unshare -m sh -c '
          mount -t tmpfs -o size=64k tmpfs disk
          head -c 100k /dev/zero > disk/fill 2> /dev/null
          for place in $PWD/disk /proc; do
            export TMPDIR=$place
            for command in "--sandbox devices" "--sandbox --pipewire devices" "sandbox -- true" demo
            do $A --json $command > out; [ $? = 74 ] || echo "$command: $?"
              tr -d "\\n" < out; echo; done
          done
          ls disk'
        """)
      let lines = result.standardOutput.split(separator: "\n").map(String.init)
      try #require(lines.count == 9, "\(result)")
      for (number, line) in lines.prefix(8).enumerated() {
        let error = try #require(JSONValue(line)["error"], "\(line)")
        #expect(error["code"] == .string("storeFailed"), "\(line)")
        guard case .string(let path)? = error["value"] else {
          Issue.record("\(line)")
          continue
        }
        guard number < 4 else {
          #expect(path == "/proc")
          continue
        }
        #expect(path.hasPrefix("\(outer.directory)/disk/pulse-"), "\(line)")
        #expect(line.contains("No space left on device; make room there"), "\(line)")
      }
      #expect(lines[8] == "fill")
    }
  }

  @Test("--pipewire makes it PipeWire, for the command and for the option", .pipewire)
  func pipewire() async throws {
    try await PulseSandbox.with(.empty) { outer in
      let shell = try await outer.shell("$A sandbox --pipewire --json -- $A state --json")
      #expect(shell.status == 0)
      let lines = shell.standardOutput.split(separator: "\n", maxSplits: 1).map(String.init)
      #expect(try JSONValue(lines[0])["server"] == .string("pipewire"))
      #expect(try JSONValue(lines[1])["server"]?["kind"] == .string("pipewire"))
      let once = try await outer.shell("$A --sandbox --pipewire state --json")
      #expect(try JSONValue(once.standardOutput)["server"]?["kind"] == .string("pipewire"))
      let wrong = try await outer.audiosession("--pipewire", "state")
      #expect(wrong.status == 64)
      #expect(wrong.standardError.contains("add --sandbox"))
    }
  }

  @Test("--json says on one line where the server is, before the command starts", .server)
  func json() async throws {
    try await PulseSandbox.with(.empty) { outer in
      let result = try await outer.shell("$A sandbox --json -- sh -c 'echo $PULSE_SERVER'")
      let lines = result.standardOutput.split(separator: "\n").map(String.init)
      #expect(lines.count == 2)
      #expect(try JSONValue(lines[0])["address"] == .string(lines[1]))
      #expect(try JSONValue(lines[0])["command"]?.array.count == 3)
    }
  }
}
