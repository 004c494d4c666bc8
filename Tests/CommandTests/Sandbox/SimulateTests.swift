import Glibc
import PulseSandbox
import TestSupport
import Testing

@Suite("sandbox simulate", .timeLimit(.minutes(10)))
struct SimulateTests {
  static let faults = [
    "plug", "unplug", "suspend", "resume", "interrupt", "compete", "kill", "restart",
    "reset-media-services", "freeze", "thaw",
  ]

  @Test("acts on the sandbox it runs inside of, and says what it did", .server)
  func inside() async throws {
    try await PulseSandbox.with(.nullDevices) { sandbox in
      let unplugged = try await sandbox.simulate("unplug usb_mic")
      #expect(unplugged.standardOutput == "unplugged usb_mic\n" && unplugged.status == 0)
      let gone = try await sandbox.audiosession("devices")
      #expect(!gone.standardOutput.contains("usb_mic"))
      let plugged = try await sandbox.simulate("plug usb_mic --json")
      #expect(
        plugged.standardOutput == "{ \"schema\": 1, \"fault\": [\"plug\", \"usb_mic\"] }\n"
          || plugged.standardOutput == "{ \"schema\": 1, \"fault\": [\"plug\",\"usb_mic\"] }\n",
        "\(plugged.standardOutput)")
      #expect(try await sandbox.audiosession("devices").standardOutput.contains("usb_mic"))
    }
  }

  @Test("the sandbox command's own sandbox takes faults, too", .server)
  func sandboxCommand() async throws {
    try await PulseSandbox.with(.empty) { outer in
      let result = try await outer.shell(
        """
        $A sandbox -- sh -c '
          $A sandbox simulate kill; $A sandbox simulate kill; echo $?
          $A sandbox simulate restart && pactl info | grep -c "^Server Name"'
        """)
      #expect(result.standardOutput == "killed the server\n69\nrestarted the server\n1\n")
      #expect(await outer.processID() != nil)
    }
  }

  @Test("refuses outside of a sandbox, so that no real server is ever hit", .server)
  func outside() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let server = await sandbox.processID()
      for fault in ["kill", "unplug mic", "compete default-input mic", "reset"] {
        let result = try await sandbox.shell(
          "env -u AUDIOSESSION_SANDBOX $A sandbox simulate \(fault)")
        #expect(result.status == 64)
        #expect(result.standardError.contains("a real server is never touched"))
        let other = try await sandbox.simulate("\(fault) --server unix:/nowhere")
        #expect(other.status == 64)
      }
      let gone = try await sandbox.shell("AUDIOSESSION_SANDBOX=/nowhere $A sandbox simulate kill")
      #expect(gone.status == 69)
      #expect(gone.standardError.contains("the sandbox in /nowhere no longer exists"))
      let folder = sandbox.directory + "/other"
      mkdir(folder, 0o700)
      let socket = try boundSocket(SOCK_STREAM, at: folder + "/faults")
      defer { close(socket) }
      let other = try await sandbox.shell(
        "AUDIOSESSION_SANDBOX=\(folder) $A sandbox simulate kill")
      #expect(other.status == 71, "\(other)")
      #expect(other.standardError.contains("cannot connect to"), "\(other)")
      #expect(await sandbox.processID() == server)
    }
  }

  @Test("a wrong name or setting is 64, and lists the right ones", .server)
  func mistakes() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      for fault in ["unplug nowhere", "plug nowhere", "suspend nowhere", "interrupt --on nowhere"] {
        let result = try await sandbox.simulate(fault)
        #expect(result.status == 64 && result.standardError.contains("it has: "), "\(fault)")
      }
      for fault in ["compete", "compete loudness mic", "compete volume mic loud", "unplug"] {
        #expect(try await sandbox.simulate(fault).status == 64, "\(fault)")
      }
      let rival = try await sandbox.simulate("compete default-input nowhere")
      #expect(rival.status == 64 && rival.standardError.contains("it has: "), "\(rival)")
    }
  }

  @Test("--for undoes what lasts", .server)
  func lasting() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      for (fault, word) in [
        ("freeze --for 50ms", "froze the server"), ("suspend mic --for 50ms", "suspended mic"),
        ("unplug mic --for 50ms", "unplugged mic"), ("interrupt --for 50ms", "call plays"),
        ("compete mute mic yes --for 50ms", "rival keeps setting mute mic yes"),
      ] {
        let result = try await sandbox.simulate(fault)
        #expect(result.status == 0 && result.standardOutput == word + "\n", "\(result)")
        // The server hears of a process's end a moment after it.
        let now = try await sandbox.shell(
          """
          while pactl list clients | grep -q -e rival -e '"call"'; do pause; done
          pactl list short sources
          """)
        #expect(now.status == 0 && now.standardOutput.contains("\tmic\t"))
        #expect(!now.standardOutput.contains("SUSPENDED"))
      }
    }
  }

  @Test("Ctrl-C ends what would go on", .server, arguments: ["INT", "TERM", "KILL"])
  func interrupted(_ signal: String) async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.shell(
        """
        out=$AUDIOSESSION_SANDBOX/out; : > $out
        $A sandbox simulate interrupt > $out & pid=$!
        until grep -q plays $out; do kill -0 $pid || exit 9; pause; done
        pactl list sink-inputs | grep -c 'media.role = "phone"'
        kill -\(signal) $pid; wait $pid; code=$?
        while pactl list sink-inputs | grep -q phone; do pause; done
        exit $code
        """)
      #expect(result.standardOutput == "1\n")
      #expect(result.status == ["INT": 130, "TERM": 143, "KILL": 137][signal])
    }
  }

  @Test("watch puts right what a fault did", .simulatedCard)
  func watch() async throws {
    try await PulseSandbox.with(.demo) { sandbox in
      let mic = "alsa_input.usb-Example_USB_Microphone-00.analog-stereo"
      let result = try await sandbox.shell(
        """
        out=$AUDIOSESSION_SANDBOX/out; : > $out
        $A watch podcast > $out 2>&1 & pid=$!
        source() { until [ "$(pactl get-default-source)" = $1 ]; do kill -0 $pid || exit 9; pause; done; }
        until grep -q applied $out; do kill -0 $pid || exit 9; pause; done
        source \(mic)
        $A sandbox simulate unplug \(mic)
        source alsa_input.pci-0000_00_1f.3.analog-stereo
        $A sandbox simulate plug \(mic)
        source \(mic)
        $A sandbox simulate reset-media-services
        until grep -q reset $out; do kill -0 $pid || exit 9; pause; done
        source \(mic)
        kill $pid; wait $pid
        """)
      #expect(result.status == 143, "\(result)")
    }
  }

  @Test("each fault has its help", .server)
  func help() async throws {
    try await PulseSandbox.with(.empty) { sandbox in
      let all = try await sandbox.simulate("--help")
      #expect(all.status == 0)
      for fault in Self.faults {
        #expect(all.standardOutput.contains("\n  \(fault)"))
        let help = try await sandbox.shell(
          "env -u AUDIOSESSION_SANDBOX $A sandbox simulate \(fault) --help")
        #expect(help.status == 0 && help.standardOutput.contains("OVERVIEW: "), "\(fault)")
      }
    }
  }
}

extension PulseSandbox {
  fileprivate func simulate(_ fault: String) async throws -> CommandResult {
    try await shell("$A sandbox simulate \(fault)")
  }
}
