import AudioSession
import FoundationEssentials
import PulseSandbox
import TestSupport
import Testing

@Suite("Handing changes to the holder", .timeLimit(.minutes(10)))
struct HandOverTests {
  /// A session of this process that holds, in the place where commands look for it.
  private func withHolder(
    _ body: (PulseSandbox, AudioSession) async throws -> Void
  ) async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "other", "[input]\ngain = \"70 %\"\n")
      try sandbox.write(
        profile: "impossible",
        "buffer-duration = \"1 ms\"\nsample-rate = 8000\n"
          + "[input]\ngain = \"70 %\"\n")
      let state = try #require(sandbox.environment["XDG_STATE_HOME"])
      let session = AudioSession(
        server: sandbox.address,
        configuration: SessionConfiguration(
          timeout: .seconds(20), storeFolder: state + "/audiosession"))
      var mode = AudioMode()
      mode.inputGain = Volume(fraction: 0.4)
      mode.gainLock = true
      try await session.setAudioMode(mode, profile: "first")
      try await body(sandbox, session)
      await session.close()
    }
  }

  private func gain(_ session: AudioSession) async throws -> StateValue? {
    try await session.getSessionState().properties[.inputGain]?.actual
  }

  @Test("what cannot be is an error, and the holder's mode stands", .server)
  func refused() async throws {
    try await withHolder { sandbox, session in
      let result = try await sandbox.audiosession("apply", "impossible", "--strict")
      #expect(result.status == 78)
      #expect(result.standardError.contains("strict"))
      #expect(try await session.getSessionState().profile == "first")
      #expect(try await gain(session) == .number(0.4))
    }
  }

  @Test("a program that reverts for a command gives the session back", .server)
  func revertedProgram() async throws {
    try await withHolder { sandbox, session in
      let result = try await sandbox.audiosession("revert")
      #expect(result.status == 0, "\(result)")
      #expect(!result.standardError.contains("still runs"), "\(result)")
      #expect(try await session.getSessionState().holder == nil)
      let stopped = try await sandbox.audiosession("stop")
      #expect(stopped.standardOutput.hasPrefix("No process maintains the session"), "\(stopped)")
    }
  }

  private static let card = "alsa_card.pci-0000_00_1f.3"

  /// A command whose change takes the holder a second, and what is done to the command then.
  private func slowly(_ signal: String, leadsTo status: Int32) async throws {
    try await PulseSandbox.with(.demo) { sandbox in
      try sandbox.write(
        profile: "other",
        "[input]\nprefer = [\"alsa_input.pci-0000_00_1f.3.analog-stereo\"]\n")
      let state = try #require(sandbox.environment["XDG_STATE_HOME"])
      let session = AudioSession(
        server: sandbox.address,
        configuration: SessionConfiguration(
          timeout: .seconds(20), storeFolder: state + "/audiosession"))
      let setup = try await sandbox.shell(
        "pactl set-card-profile \(Self.card) output:analog-stereo")
      #expect(setup.status == 0)
      var mode = AudioMode()
      mode.preferredInput = [.name("alsa_input.usb-*")]
      try await session.setAudioMode(mode, profile: "first")
      let before = try await sandbox.audiosession("devices", "--all")
      let result = try await sandbox.shell(
        """
        pactl send-message /card/\(Self.card)/sim profile-delay 8000 > /dev/null
        $A apply other --timeout 50s > /dev/null 2>&1 & pid=$!
        until pactl list cards | grep -q 'Active Profile: output:analog-stereo+input'; do kill -0 $pid || exit 9; pause; done
        kill -\(signal) $pid
        wait $pid; status=$?
        pactl send-message /card/\(Self.card)/sim profile-delay 0 > /dev/null
        exit $status
        """)
      #expect(result.status == status)
      // This waits for its turn, behind the way back.
      #expect(try await session.update { _ in }.state.profile == "first")
      #expect(try await sandbox.audiosession("devices", "--all") == before)
      #expect(try await sandbox.audiosession("apply", "other").status == 0)
      #expect(try await session.getSessionState().profile == "other")
      await session.close()
    }
  }

  @Test("a killed command's change is given up, and stands in nobody's way", .simulatedCard)
  func killedCommand() async throws { try await slowly("KILL", leadsTo: 137) }

  @Test("Ctrl-C takes the change back", .simulatedCard)
  func interrupted() async throws { try await slowly("INT", leadsTo: 130) }

  /// Runs a script beside a holder of the profile `first` that is stopped: `$holder`; `ordered` waits for an
  /// order to it.
  private func besideStoppedHolder(_ script: String) async throws -> CommandResult {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "first", "[input]\ngain = \"40 %\"\n")
      try sandbox.write(profile: "other", "[input]\ngain = \"70 %\"\n")
      let start = """
        ordered() {
          until ls "$XDG_STATE_HOME"/audiosession/*.order.toml > /dev/null 2>&1; do pause; done
        }
        $A apply first --keep > /dev/null || exit
        holder=$($A state --json | sed -n 's/.*"holder": {.*"pid": \\([0-9]*\\).*/\\1/p')
        freeze $holder

        """
      return try await sandbox.shell(start + script)
    }
  }

  @Test("a holder that is frozen: timed out, and nothing changes later", .server)
  func frozenHolder() async throws {
    let result = try await besideStoppedHolder(
      """
      $A doctor --no-listen | grep -q "kill -CONT $holder" || echo "doctor is silent"
      $A apply other --timeout 10s; echo $?
      start=$(date +%s)
      timeout --preserve-status -s INT 1 $A apply other 2> /dev/null; echo $?
      [ $(($(date +%s) - start)) -lt 25 ] || echo "late"
      kill -CONT $holder
      $A apply first > /dev/null; echo $?
      $A state --json | grep -c '"event": "applied"'
      pactl get-source-volume mic
      freeze $holder
      $A apply other > /dev/null & pid=$!
      ordered
      kill -KILL $holder
      wait $pid; echo $?
      pactl get-source-volume mic
      """)
    let lines = result.standardOutput.split(separator: "\n")
    #expect(lines.first == "75", "\(result)")
    #expect(result.standardError.contains("did not answer in time"))
    // A signal ends one that has a minute's time.
    #expect(lines.dropFirst().prefix(2) == ["130", "0"], "\(result)")
    // None of the withdrawn orders is carried out later.
    #expect(lines.dropFirst(3).first == "2", "\(result)")
    #expect(!result.standardOutput.contains("doctor is silent"))
    #expect(result.standardError.contains("'kill -CONT "))
    #expect(result.standardOutput.contains("40%"))
    #expect(result.standardOutput.contains("70%"), "the command did it itself")
  }

  @Test("a command that is stopped while it waits is named, and not the holder", .server)
  func stoppedCommand() async throws {
    let result = try await besideStoppedHolder(
      """
      $A apply other > /dev/null & pid=$!
      ordered
      freeze $pid
      kill -CONT $holder
      $A apply first --timeout 5s 2> "$XDG_STATE_HOME/error"; echo $?
      grep -q "kill -CONT $pid" "$XDG_STATE_HOME/error"; echo $?
      kill -CONT $pid; wait $pid; echo $?
      $A apply first > /dev/null; echo $?
      cat "$XDG_STATE_HOME/error" >&2
      """)
    #expect(result.standardOutput == "75\n0\n0\n0\n", "\(result)")
  }

  @Test("an order for a holder that closes meanwhile is not lost", .server)
  func closedHolder() async throws {
    try await withHolder { sandbox, session in
      let state = try #require(sandbox.environment["XDG_STATE_HOME"])
      async let result = sandbox.shell(
        """
        cd \(sandbox.directory)
        orders=$(echo \(state)/audiosession/*.lock | sed 's/lock$/order.lock/')
        exec 8> "$orders"; flock 8
        $A apply other > out 2>&1 8>&- & pid=$!
        until ls -l /proc/$pid/fd 2> /dev/null | grep -q 'order[.]lock'; do pause; done
        : > \(sandbox.directory)/waits
        until [ -e \(sandbox.directory)/closed ]; do pause; done
        flock -u 8; exec 8>&-
        wait $pid || { cat out; exit 9; }
        pactl get-source-volume mic
        """)
      _ = try await sandbox.shell("until [ -e \(sandbox.directory)/waits ]; do pause; done")
      await session.close()
      _ = try await sandbox.shell(": > \(sandbox.directory)/closed")
      let done = try await result
      #expect(done.status == 0, "\(done)")
      #expect(done.standardOutput.contains("70%"))
    }
  }

  @Test("who keeps a setup keeps nothing of its caller's", .server)
  func keepsNothing() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "first", "[input]\ngain = \"40 %\"\n")
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        exec 9> lock; flock 9
        $A apply first --keep > /dev/null || exit 8
        exec 9>&-
        flock -n lock true || exit 7
        holder=$($A state --json | sed -n 's/.*"holder": {.*"pid": \\([0-9]*\\).*/\\1/p')
        readlink /proc/$holder/cwd
        kill $holder
        """)
      #expect(result.status == 0, "\(result)")
      #expect(result.standardOutput == "/\n")
    }
  }

  @Test("what the holder holds is held, whoever asks", .server)
  func heldForAll() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", "category = \"record\"\nbuffer-duration = \"10 ms\"\n")
      func json(_ command: String) async throws -> JSONValue {
        let result = try await sandbox.shell("$A \(command) --timeout 50s --json")
        return try JSONValue(result.standardOutput)
      }
      let kept = try await json("apply test --keep")
      let buffer = try #require(kept["properties"]?["ioBufferDuration"])
      #expect(buffer["verdict"] == .string("applied"), "\(buffer)")
      #expect(kept["unmet"] == .array([]), "\(kept)")
      let state = try #require(try await json("state")["properties"]?["ioBufferDuration"])
      #expect(state["verdict"] == .string("applied"), "\(state)")
      #expect(state["held"] == .bool(true))
      let check = try await sandbox.audiosession("state", "--check", "--timeout", "50s")
      #expect(check.status == 0, "\(check)")
    }
  }

  @Test("a holder that has nothing to keep ends with the server that is thrown away", .server)
  func endsWithItsServer() async throws {
    let holder = try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      let result = try await sandbox.shell(
        """
        $A apply test --keep --timeout 50s > /dev/null || exit
        $A revert --timeout 50s > /dev/null || exit
        $A state --timeout 50s --json | sed -n 's/.*"holder": {.*"pid": \\([0-9]*\\).*/\\1/p'
        """)
      return try #require(Int32(result.standardOutput.filter(\.isNumber)), "\(result)")
    }
    #expect(try await ends(holder))
  }

  @Test("nor does one stay that was taken over", .server)
  func interruptedEndsWithItsServer() async throws {
    let holder = try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        setsid $A watch test > first 2>&1 < /dev/null & pid=$!
        until grep -q applied first; do kill -0 $pid || exit 9; pause; done
        setsid $A watch test --replace > second 2>&1 < /dev/null & other=$!
        until grep -q applied second; do kill -0 $other || exit 8; pause; done
        echo $pid
        """)
      return try #require(Int32(result.standardOutput.filter(\.isNumber)), "\(result)")
    }
    #expect(try await ends(holder))
  }

  /// It is no child of this process: nobody tells its end.
  private func ends(_ process: Int32) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    while isAlive(process), ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(20))
    }
    return !isAlive(process)
  }

  private func isAlive(_ process: Int32) -> Bool {
    let file = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    return file.map { !$0.contains(") Z ") } ?? false
  }
}
