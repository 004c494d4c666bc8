import AudioSession
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import audiosession

@Suite("watch", .timeLimit(.minutes(10)))
struct WatchTests {
  @Test("waits from the start for a server that is not there yet, and for a device", .server)
  func waitsFromTheStart() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      try sandbox.write(
        profile: "later", Profiles.podcast.replacing("[\"mic\"]", with: "[\"later\"]"))
      try await sandbox.terminate()
      let starting = Task { try await Watching.start(sandbox, "test") }
      // It says so on standard error, and goes on.
      _ = try await sandbox.shell(
        "until grep -qs 'trying again' \(sandbox.directory)/watching-*.err; do pause; done")
      try await sandbox.restart()
      let watching = try await starting.value
      #expect(try await sandbox.audiosession("plan", "test").standardOutput == "nothing to do\n")
      #expect(try await watching.end() == 143)
      let waiting = Task { try await Watching.start(sandbox, "later") }
      _ = try await sandbox.shell(
        """
        until grep -qs 'later' \(sandbox.directory)/watching-*.err; do pause; done
        pactl load-module module-null-sink sink_name=x > /dev/null
        pactl load-module module-remap-source source_name=later master=mic > /dev/null
        """)
      #expect(try await waiting.value.end() == 143)
      // What waiting does not change ends it.
      #expect(try await sandbox.audiosession("watch", "nosuch").status == 66)
    }
  }

  @Test(
    "what is applied or reverted while it waits for a device stays when that is plugged in",
    .server, arguments: ["later", "--auto"], ["apply test", "revert"])
  func waitsForNothingElse(_ arguments: String, _ command: String) async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      try sandbox.write(
        profile: "later",
        Profiles.podcast.replacing("[\"mic\"]", with: "[\"later\"]")
          + "\n[match]\ninputs = [\"mic\"]\n")
      let hooks = try #require(sandbox.environment["XDG_CONFIG_HOME"]) + "/audiosession/hooks"
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        mkdir -p \(hooks)/started.d
        printf '#!/bin/sh\\n: > \(sandbox.directory)/started\\n' > \(hooks)/started.d/x
        chmod 755 \(hooks)/started.d/x
        $A apply test > /dev/null || exit 9
        $A watch \(arguments) > out 2> err & pid=$!
        until grep -qs 'trying again' err; do kill -0 $pid || exit 8; pause; done
        $A \(command) > /dev/null || exit 7
        pactl load-module module-remap-source source_name=later master=mic > /dev/null
        until [ -e started ]; do kill -0 $pid || exit 6; pause; done
        $A state --json | grep -m 1 -o '"profile": [^,]*'
        kill -TERM $pid; wait $pid
        """)
      #expect(result.status == 143, "\(result)")
      let profile = command == "revert" ? "null" : "\"test\""
      #expect(result.standardOutput == "\"profile\": \(profile)\n", "\(result)")
    }
  }

  @Test("reverts what it was asked for while its own profile is tried again", .server)
  func revertsOrder() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", "[input]\ngain = \"40 %\"\n")
      try sandbox.write(
        profile: "later", Profiles.podcast.replacing("[\"mic\"]", with: "[\"later\"]"))
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        pactl get-source-volume mic > before
        $A watch later --revert --trace trace > out 2> err & pid=$!
        # The pause after the third attempt is two seconds long.
        until [ "$(cat trace 2> /dev/null | grep -c unplannable)" -ge 3 ]; do
          kill -0 $pid || exit 8; pause
        done
        $A apply test > /dev/null || exit 7
        kill -TERM $pid; wait $pid; code=$?
        pactl get-source-volume mic | cmp - before || exit 6
        exit $code
        """)
      #expect(result.status == 143, "\(result)")
    }
  }

  @Test("a revert at the end that fails says so, and names the way out", .server)
  func failsToRevert() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", "[input]\ngain = \"40 %\"\n")
      let server = try #require(await sandbox.processID())
      let before = try await sandbox.audiosession("devices", "--all")
      let result = try await sandbox.watch(
        "test --revert --json --timeout 500ms", "await applied; freeze \(server)")
      try await sandbox.thaw()
      #expect(result.status == 75, "\(result)")
      let last = try #require(result.standardOutput.split(separator: "\n").last)
      let error = try JSONValue(String(last))["error"]
      #expect(error?["code"] == .string("timedOut"), "\(result)")
      #expect(error?["restored"] == .bool(false), "\(result)")
      guard case .string(let message)? = error?["message"] else {
        Issue.record("\(result)")
        return
      }
      #expect(message.hasPrefix("the former settings could not be restored ("), "\(result)")
      #expect(message.hasSuffix("; to try again: audiosession revert"), "\(result)")
      #expect(try await sandbox.audiosession("revert").status == 0)
      #expect(try await sandbox.audiosession("devices", "--all") == before)
    }
  }

  @Test("tries again with a server that is frozen, and a profile that fails once", .simulatedCard)
  func triesAgain() async throws {
    try await PulseSandbox.with(.demo) { sandbox in
      let card = "alsa_card.usb-Example_USB_Microphone-00"
      try sandbox.write(
        profile: "test",
        "[input]\nprefer = [\"alsa_input.usb-Example_USB_Microphone-00.analog-stereo\"]\n")
      func isTriedAgain(_ error: String, _ options: String = "", _ then: () async throws -> Void)
        async throws
      {
        let starting = Task { try await Watching.start(sandbox, "test \(options)") }
        let said = try await sandbox.shell(
          """
          cd \(sandbox.directory)
          until grep -qs 'trying again until it works' watching-*.err; do pause; done
          cat watching-*.err
          """)
        #expect(said.standardOutput.contains(error), "\(said)")
        try await then()
        #expect(try await starting.value.end() == 143)
        _ = try await sandbox.shell("rm \(sandbox.directory)/watching-*")
      }
      try await sandbox.freeze()
      try await isTriedAgain("timed out", "--timeout 500ms") { try await sandbox.thaw() }
      let failing = try await sandbox.shell(
        """
        pactl set-card-profile \(card) off
        pactl send-message /card/\(card)/sim fail-profile '"input:analog-stereo"'
        """)
      #expect(failing.status == 0, "\(failing)")
      try await isTriedAgain("input:analog-stereo") {}
    }
  }

  @Test(
    "a profile that appears a while after its card is pending until then", .bothServers,
    arguments: [ServerKind.pulseaudio, .pipewire])
  func lateProfile(on kind: ServerKind) async throws {
    try await PulseSandbox.with(.demo(on: kind)) { sandbox in
      let card = "alsa_card.usb-Example_USB_Microphone-00"
      let input = "alsa_input.usb-Example_USB_Microphone-00.analog-stereo"
      try sandbox.write(
        profile: "late",
        "category = \"record\"\n[input]\nprefer = [\"\(input)\"]\nrequired = false\n")
      _ = try await sandbox.shell("pactl set-card-profile \(card) off")
      try await sandbox.tell(card, "hide-profile", "input:analog-stereo")
      let shown = try await sandbox.shell(
        "until pactl list cards | grep -q 'input:analog-stereo:.*available: no'; do pause; done")
      #expect(shown.status == 0, "\(shown)")
      let watching = try await Watching.start(sandbox, "late --json")
      #expect(try await watching.says("\"pending\""))
      try await sandbox.tell(card, "hide-profile", "none")
      #expect(try await watching.says("\"reapplied\""))
      let used = try await sandbox.shell(
        """
        until [ "$(pactl get-default-source)" = \(input) ]; do pause; done
        until $A state | grep -q '^preferred input  *applied'; do pause; done
        """)
      #expect(used.status == 0, "\(used)")
      #expect(try await watching.end() == 143)
    }
  }

  @Test("what the server refuses for good ends it, after the last of a few attempts", .server)
  func refused() async throws {
    var configuration = SandboxConfiguration.minimal
    configuration.allowsModuleLoading = false
    try await PulseSandbox.with(configuration) { sandbox in
      try sandbox.write(profile: "test", Profiles.podcast)
      let before = try await sandbox.audiosession("devices", "--all")
      let start = ContinuousClock.now
      let result = try await sandbox.audiosession("watch", "test")
      #expect(result.status == 71, "\(result)")
      #expect(result.standardError.split(separator: "\n").count == 3, "\(result)")
      // The pauses between six attempts.
      #expect(ContinuousClock.now - start >= .seconds(12.5))
      #expect(try await sandbox.audiosession("devices", "--all") == before)
    }
  }

  @Test("what the first apply came to, and how long it is waited for then")
  func backoff() {
    func tries(_ code: SessionError.Code, _ stage: SessionError.Stage) -> [Duration] {
      var backoff = StartBackoff()
      let error = SessionError(code, stage: stage, "x")
      return (0..<20).map { _ in backoff.pause(after: error) }.compactMap(\.self)
    }
    for code in [SessionError.Code.serverUnreachable, .serverLost, .timedOut, .isBusy] {
      #expect(tries(code, .server).count == 20)
    }
    #expect(
      tries(.inputNotAvailable, .device).prefix(5) == [
        .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(5),
      ])
    #expect(tries(.refused, .server).count == StartBackoff.mostRefusals)
    for code in [
      SessionError.Code.invalidValue, .profileNotFound, .storeFailed, .accessDenied, .cancelled,
      .hintNotGranted,
    ] {
      #expect(tries(code, .session).isEmpty, "\(code)")
    }
  }

  @Test("keeps a profile, one JSON line an event, and ends cleanly", .simulatedCard)
  func keeps() async throws {
    try await PulseSandbox.with(.demo) { sandbox in
      let result = try await sandbox.watch(
        "podcast --json",
        """
        await '"applied"'
        pactl set-default-source alsa_input.pci-0000_00_1f.3.analog-stereo
        await '"reapplied"'
        pactl get-default-source > "$out.default"
        """)
      #expect(result.status == 143)
      let lines = result.standardOutput.split(separator: "\n")
      for line in lines {
        #expect(line.hasPrefix("{") && line.hasSuffix("}"), "\(line)")
      }
      #expect(lines.last?.contains("\"stopped\"") == true)
      let now = try await sandbox.shell("cat \(sandbox.directory)/watch.out.default")
      #expect(now.standardOutput.contains("usb-Example_USB_Microphone"))
      let state = try await sandbox.audiosession("state", "--json")
      #expect(state.standardOutput.contains("\"profile\": \"podcast\""))
    }
  }

  /// libdispatch names its threads by their quality of service, and the first of them begins a timer of
  /// a second that never ends.
  @Test("nothing it does starts what would wake it every second", .simulatedCard)
  func sleepsWell() async throws {
    try await PulseSandbox.with(.demo) { sandbox in
      let result = try await sandbox.watch(
        "podcast",
        """
        await applied
        pactl set-default-source alsa_input.pci-0000_00_1f.3.analog-stereo
        await reapplied
        $A apply measurement >/dev/null || exit 8
        $A sandbox simulate reset-media-services >/dev/null || exit 7
        await 'session restored'
        $A state >/dev/null
        cat /proc/$pid/task/*/comm > "$out.threads"
        """)
      #expect(result.status == 143, "\(result)")
      let threads = try await sandbox.shell("cat \(sandbox.directory)/watch.out.threads")
      #expect(threads.standardOutput.contains("audiosession\n"))
      #expect(!threads.standardOutput.contains("qos"), "\(threads.standardOutput)")
    }
  }

  @Test("a second one names the holder, waits behind it, and goes on when it ends", .server)
  func holder() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", "[input]\ngain = \"40 %\"\n")
      let before = try await sandbox.audiosession("devices", "--all")
      let result = try await sandbox.watch(
        "test --revert", signal: "INT",
        """
        await applied
        $A watch test --revert > "$out.second" 2> "$out.said" < /dev/null & second=$!
        until grep -q 'trying again' "$out.said"; do pause; done
        kill -INT $pid
        until grep -q applied "$out.second"; do pause; done
        kill -INT $second; wait $second; echo $? >> "$out.second"
        """)
      #expect(result.status == 130)
      let second = try await sandbox.shell(
        "cat \(sandbox.directory)/watch.out.said \(sandbox.directory)/watch.out.second")
      #expect(second.standardOutput.contains("audiosession (process "))
      #expect(second.standardOutput.hasSuffix("130\n"))
      #expect(try await sandbox.audiosession("devices", "--all") == before)
    }
  }

  @Test("ends when nobody reads it any more, before it has more to say", .server)
  func unread() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", "[input]\ngain = \"40 %\"\n")
      let before = try await sandbox.audiosession("devices", "--all")
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        { $A watch test --revert; echo $? > status; } | head -1 | grep -c applied
        cat status
        # While it waits for a server.
        : > err
        { $A watch test --server unix:$PWD/none 2> err; echo $? > status; } |
          until grep -q 'trying again' err; do pause; done
        cat status; grep -c cancelled err
        """)
      #expect(result.standardOutput == "1\n0\n0\n0\n", "\(result)")
      #expect(try await sandbox.audiosession("devices", "--all") == before)
    }
  }

  @Test("killed while it silences others, it leaves what the next command gives back", .pipewire)
  func silencing() async throws {
    try await PulseSandbox.with(.minimal(on: .pipewire)) { sandbox in
      try sandbox.write(
        profile: "alone", "category = \"playback\"\noptions = [\"silence-others\"]\n")
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        : > out
        $A watch alone > out 2> err & pid=$!
        pacat --raw --client-name=song < /dev/zero > /dev/null 2>&1 & song=$!
        alive() { kill -0 $song || { cat err; kill -KILL $pid; exit 9; }; pause; }
        muted() { until pactl list sink-inputs | grep -q "Mute: $1"; do alive; done; }
        until grep -q applied out; do alive; done
        muted yes
        # What has just begun may not be in the holder's files yet.
        until $A state | grep -q "^options  *applied"; do alive; done
        kill -KILL $pid; wait $pid
        pactl list sink-inputs | grep "Mute:"
        $A revert > /dev/null; echo "revert: $?"
        muted no
        pactl list sink-inputs | grep "Mute:"
        kill $song; wait $song
        exit 0
        """)
      #expect(result.status == 0, "\(result)")
      #expect(
        result.standardOutput == "\tMute: yes\nrevert: 0\n\tMute: no\n", "\(result)")
    }
  }

  @Test("a profile from a pipe is read once, and is not suggested", .server)
  func pipe() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        printf '[input]\\ngain = "40 %%"\\n' > p
        cat p | $A watch /dev/stdin > out 2> err & pid=$!
        until grep -q applied out; do kill -0 $pid || { cat err; exit 9; }; pause; done
        pactl get-source-volume mic | grep -q ' 40%' || exit 8
        kill $pid; wait $pid
        $A state | grep -o 'this does: .*'
        """)
      #expect(result.status == 0, "\(result)")
      #expect(result.standardOutput == "this does: audiosession watch\n", "\(result)")
    }
  }

  @Test(
    "SIGHUP reads again what a command applied, and unmutes no input; a bad file changes nothing",
    .server)
  func readAgain() async throws {
    try await PulseSandbox.with(.minimal) { try await readAgain(beside: $0.address) }
  }

  private func readAgain(beside other: String) async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", "[input]\ngain = \"40 %\"\nmute = false\n")
      try sandbox.write(profile: "other", "[input]\ngain = \"40 %\"\n")
      let result = try await sandbox.shell(
        """
        file="$XDG_CONFIG_HOME/audiosession/profiles/test.toml"
        gain() { pactl get-source-volume mic | grep -q " $1%"; }
        $A apply test --keep > /dev/null && gain 40 || exit 9
        holder=$($A state --json | sed -n 's/.*"holder": {.*"pid": \\([0-9]*\\).*/\\1/p')
        sed -i 's/40 %/70 %/' "$file"
        pactl set-source-mute mic 1
        kill -HUP $holder
        until gain 70; do kill -0 $holder || exit 8; pause; done
        echo 'gain =' > "$file"
        kill -HUP $holder
        log=$(echo "$XDG_STATE_HOME"/audiosession/*.watch.log)
        logged() { until [ $(grep -c test.toml "$log") = $1 ]; do kill -0 $holder || exit 7; pause; done; }
        logged 1
        # A holder of another server begins a log of its own.
        $A apply other --keep --server \(other) > /dev/null || exit 4
        kill -HUP $holder
        logged 2
        $A stop --server \(other) > /dev/null || exit 3
        [ $(ls "$XDG_STATE_HOME"/audiosession/*.watch.log | wc -l) = 2 ] || exit 2
        pactl get-source-mute mic | grep -q yes || exit 5
        gain 70 && $A stop > /dev/null || exit 6
        """)
      #expect(result.status == 0, "\(result)")
    }
  }

  @Test("without a mode it waits for one; apply and revert of others are carried out", .server)
  func handOver() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", "[input]\ngain = \"40 %\"\n")
      let before = try await sandbox.audiosession("devices", "--all")
      let result = try await sandbox.watch(
        "--json",
        """
        $A state > /dev/null
        until $A state --json | grep -q '"holder": {'; do kill -0 $pid || exit 9; pause; done
        $A apply test > "$out.apply" 2>&1 || echo "failed: $?" >> "$out.apply"
        await '"applied"'
        $A state --json > "$out.state"
        $A apply nosuch 2> /dev/null; echo $? > "$out.nosuch"
        $A revert > "$out.revert" 2>&1 || echo "failed: $?" >> "$out.revert"
        $A state --json > "$out.after"
        """)
      #expect(result.status == 143)
      func text(_ suffix: String) async throws -> String {
        try await sandbox.shell("cat \(sandbox.directory)/watch.out.\(suffix)").standardOutput
      }
      #expect(try await text("apply").contains("input gain  applied  40 %"))
      #expect(try await text("nosuch") == "66\n")
      let state = try await text("state")
      #expect(state.contains("\"profile\": \"test\""))
      #expect(state.contains("\"event\": \"applied\""))
      #expect(try await text("revert").contains("40 % → 100 %"))
      #expect(try await text("after").contains("\"active\": false"))
      #expect(try await text("after").contains("\"name\": \"audiosession\""))
      #expect(try await sandbox.audiosession("devices", "--all") == before)
    }
  }

  @Test("--replace interrupts the holder, which goes on when the taker ends", .server)
  func replace() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "test", "[input]\ngain = \"40 %\"\n")
      try sandbox.write(profile: "other", "[input]\ngain = \"70 %\"\n")
      let result = try await sandbox.watch(
        "test --json",
        """
        await '"applied"'
        $A watch other --replace > "$out.other" 2>&1 & other=$!
        until grep -q applied "$out.other"; do kill -0 $other || { cat "$out.other"; exit 9; }; pause; done
        await '"interruptionBegan"'
        pactl get-source-volume mic > "$out.during"
        kill -KILL $other
        await '"interruptionEnded"'
        pactl get-source-volume mic > "$out.then"
        """)
      #expect(result.status == 143)
      #expect(result.standardOutput.contains("\"shouldResume\":true"))
      func text(_ suffix: String) async throws -> String {
        try await sandbox.shell("cat \(sandbox.directory)/watch.out.\(suffix)").standardOutput
      }
      #expect(try await text("during").contains("70%"))
      #expect(try await text("then").contains("40%"))
    }
  }
}
