import Glibc
import PulseSandbox
import TestSupport
import Testing

/// Several holders of one server, each a process of its own.
@Suite("Taking a session over", .timeLimit(.minutes(10)))
struct TakeOverTests {
  /// Starts holders in a shell, and counts what they do: `hold NAME ARGUMENTS` starts `watch` and waits
  /// until it has applied, `busy NAME` prints how often its threads went to sleep, `said NAME EVENT`
  /// how often it printed an event.
  private func run(_ sandbox: PulseSandbox, _ script: String) async throws -> [String] {
    for (index, name) in ["first", "second", "third", "fourth"].enumerated() {
      try sandbox.write(profile: name, "[input]\ngain = \"\(index + 2)0 %\"\n")
    }
    let result = try await sandbox.shell(
      """
      cd \(sandbox.directory)
      process() { cat $1.pid; }
      said() { grep -c "\\"$2\\"" $1.out; }
      await() {
        until [ $(said $1 $2) -ge $3 ]; do
          kill -0 $(process $1) 2> /dev/null || { cat $1.out $1.err; exit 9; }
          pause
        done
      }
      hold() {
        name=$1; shift
        : > $name.out
        $A watch --json "$@" > $name.out 2> $name.err & echo $! > $name.pid
        await $name applied 1
      }
      end() { kill -$2 $(process $1); wait $(process $1) 2> /dev/null; }
      busy() {
        cat /proc/$(process $1)/task/*/status | awk '/^voluntary/ { n += $2 } END { print n }'
      }
      holder() { $A state --json | sed -n 's/.*"holder": {.*"pid": \\([0-9]*\\).*/\\1/p'; }
      gain() { pactl get-source-volume mic | sed -n 's/.*front-left:.* \\([0-9]*\\)%.*/\\1/p' | head -1; }
      \(script)
      exit 0
      """)
    #expect(result.status == 0, "\(result)")
    noteTries(result.standardError, of: 5)
    return result.standardOutput.split(separator: "\n").map(String.init)
  }

  @Test("two holders and a command: nobody spins", .server)
  func nobodySpins() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let lines = try await run(
        sandbox,
        """
        hold a first
        hold b second --replace
        await a interruptionBegan 1
        $A apply third > /dev/null || exit 8
        a=$(busy a); b=$(busy b)
        for i in 1 2 3 4 5 6 7 8; do $A state > /dev/null || exit 7; done
        echo $(($(busy a) - a)); echo $(($(busy b) - b))
        said a interruptionEnded
        end b TERM; end a TERM
        """)
      let counts = lines.compactMap { Int($0) }
      try #require(counts.count == 3, "\(lines)")
      // Who waits has no part in it; the holder sees the clients come and go.
      #expect(counts[0] < 40)
      #expect(counts[1] < 400)
      #expect(counts[2] == 0)
    }
  }

  @Test(
    "three holders: who was interrupted last goes on first", .server, arguments: ["KILL", "TERM"])
  func threeHolders(_ signal: String) async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let lines = try await run(
        sandbox,
        """
        hold a first
        hold b second --replace
        await a interruptionBegan 1
        hold c third --replace
        await b interruptionBegan 1
        for i in 1 2 3 4 5; do [ "$(holder)" = $(process c) ] || exit 7; done
        echo $(gain) $(said a interruptionEnded) $(said b interruptionEnded) $(said c interruptionBegan)
        end c \(signal)
        await b interruptionEnded 1
        echo $(gain) $(said a interruptionEnded)
        for i in 1 2 3; do [ "$(holder)" = $(process b) ] || exit 6; done
        end b \(signal)
        await a interruptionEnded 1
        echo $(gain) $(said a interruptionBegan)
        [ "$(holder)" = $(process a) ] || exit 5
        end a TERM
        """)
      #expect(lines == ["40 0 0 0", "30 0", "20 1"])
    }
  }

  @Test("a change between a holder's end and the return of the former one is not lost", .server)
  func changeBetween() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let lines = try await run(
        sandbox,
        """
        hold a first
        for i in 1 2 3 4 5; do
          [ $i = 1 ] || echo try >&2
          hold b second --replace
          await a interruptionBegan $i
          freeze $(process a)
          end b TERM
          $A apply third > /dev/null & applying=$!
          # It waits for two seconds for the one that is to return; a busy machine may stop for longer.
          end=$(($(date +%s%N) + 500000000))
          while kill -0 $applying 2> /dev/null && [ $(date +%s%N) -lt $end ]; do pause; done
          kill -CONT $(process a)
          wait $applying || exit 8
          await a interruptionEnded $i
          until [ "$(holder)" = $(process a) ]; do pause; done
          [ "$(gain)" != 40 ] || break
        done
        echo $(gain)
        end a TERM
        """)
      #expect(lines == ["40"])
    }
  }

  @Test("watch --auto holds what the devices call for once a former holder has ended", .server)
  func auto() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(
        profile: "desk", "[input]\ngain = \"60 %\"\n[match]\ninputs = [\"mic\"]\n")
      let lines = try await run(
        sandbox,
        """
        hold a first
        : > b.out
        $A watch --auto --json > b.out 2> b.err & echo $! > b.pid
        tried() {
          until [ "$(grep -c 'trying again' b.err)" -ge $1 ]; do
            kill -0 $(process b) || exit 8; pause
          done
        }
        tried 1
        # It names the holder that it waits for: a later attempt finds another one.
        hold c second --replace
        tried 2
        end a TERM; end c TERM
        await b applied 1
        echo $(gain) $(said b profileChosen); grep -c 'no profile fits' b.err
        end b TERM
        """)
      #expect(lines == ["60 1", "0"])
    }
  }

  @Test("watch --auto --replace leaves the session to who took it, whatever is plugged in", .server)
  func autoTakenOver() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let mic = "[match]\ninputs = [\"mic\"]\n"
      try sandbox.write(profile: "desk", "[input]\ngain = \"60 %\"\n" + mic)
      try sandbox.write(
        profile: "studio", "[input]\ngain = \"70 %\"\n" + mic + "outputs = [\"monitors\"]\n")
      let lines = try await run(
        sandbox,
        """
        hold a --auto --replace
        hold b second --replace
        await a interruptionBegan 1
        pactl load-module module-null-sink sink_name=monitors > /dev/null
        await a devicesChanged 1
        for i in 1 2 3 4 5; do [ "$(holder)" = $(process b) ] || exit 7; done
        echo $(gain) $(said a profileChosen) $(said b interruptionBegan)
        end b TERM
        await a applied 2
        echo $(gain) $(said a profileChosen)
        end a TERM
        """)
      #expect(lines == ["30 1 0", "70 2"])
    }
  }

  @Test("who takes over again maintains its profile", .server)
  func takenBack() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "locked", "[input]\ngain = \"60 %\"\ngain-lock = true\n")
      let lines = try await run(
        sandbox,
        """
        hold a locked --replace
        hold b second --replace
        await a interruptionBegan 1
        kill -HUP $(process a)
        await b interruptionBegan 1
        await a interruptionEnded 1
        [ "$(holder)" = $(process a) ] || exit 7
        pactl set-source-volume mic 90%
        i=0; until [ "$(gain)" = 60 ] || [ $i -gt 200 ]; do i=$((i + 1)); pause; done
        echo $(gain)
        end a TERM; await b interruptionEnded 1; echo $(gain); end b TERM
        """)
      #expect(lines == ["60", "30"])
    }
  }

  @Test("a profile whose device is not plugged in interrupts no holder", .server)
  func absent() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "absent", Profiles.missing)
      let lines = try await run(
        sandbox,
        """
        hold a first
        : > b.out
        $A watch absent --replace --json > b.out 2> b.err & echo $! > b.pid
        until grep -q 'trying again' b.err; do kill -0 $(process b) || exit 8; pause; done
        [ "$(holder)" = $(process a) ] || exit 7
        echo $(gain) $(said a interruptionBegan)
        end b TERM; end a TERM
        """)
      #expect(lines == ["20 0"])
    }
  }

  @Test("nor does the stored one whose device was unplugged", .server)
  func absentAdopted() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      try sandbox.write(profile: "late", "[input]\nprefer = [\"late\"]\n")
      let lines = try await run(
        sandbox,
        """
        late=$(pactl load-module module-null-source source_name=late)
        hold a late
        pactl unload-module $late
        await a devicesChanged 1
        $A watch --replace --json > b.out 2> b.err & echo $! > b.pid
        until grep -q 'trying again' b.err; do kill -0 $(process b) || exit 8; pause; done
        [ "$(holder)" = $(process a) ] || exit 7
        said a interruptionBegan
        end b TERM; end a TERM
        """)
      #expect(lines == ["0"])
    }
  }

  @Test("who fails to take over again has its former profile, or leaves the holder alone", .server)
  func failsToTakeBack() async throws {
    var configuration = SandboxConfiguration.minimal
    configuration.allowsModuleLoading = false
    try await PulseSandbox.with(configuration) { sandbox in
      try sandbox.write(
        profile: "locked",
        "category = \"record\"\n[input]\ngain = \"60 %\"\ngain-lock = true\n")
      let lines = try await run(
        sandbox,
        """
        hold a locked --replace
        hold b second --replace
        await a interruptionBegan 1
        profile="$XDG_CONFIG_HOME/audiosession/profiles/locked.toml"
        cp "$profile" former
        # The plan fails, so nothing is asked of the other holder.
        echo 'prefer = ["nowhere"]' >> "$profile"
        kill -HUP $(process a)
        until grep -q nowhere a.out; do kill -0 $(process a) || exit 8; pause; done
        [ "$(holder)" = $(process b) ] || exit 7
        echo $(gain) $(said b interruptionBegan)
        # The plan is possible, and the server refuses a step of it.
        cp former "$profile"
        echo 'channel-map = "swap"' >> "$profile"
        kill -HUP $(process a)
        await b interruptionBegan 1
        await a interruptionEnded 1
        [ "$(holder)" = $(process a) ] || exit 6
        grep -q module-remap-source a.out || exit 5
        $A state --json | grep -q '"profile": "locked"' || exit 4
        echo $(gain)
        pactl set-source-volume mic 90%
        i=0; until [ "$(gain)" = 60 ] || [ $i -gt 200 ]; do i=$((i + 1)); pause; done
        echo $(gain)
        end a TERM; await b interruptionEnded 1; echo $(gain); end b TERM
        """)
      #expect(lines == ["30 0", "60", "60", "30"])
    }
  }

  @Test("who was interrupted goes on, also if the server has restarted meanwhile", .server)
  func restarted() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let ready = sandbox.directory + "/ready"
      let restarting = Task {
        while access(ready, F_OK) != 0 { try await ContinuousClock().sleep(for: .milliseconds(5)) }
        try await sandbox.kill()
        try await sandbox.restart()
        _ = try await sandbox.write(file: "restarted", "")
      }
      let lines = try await run(
        sandbox,
        """
        hold a first
        hold b second --replace
        await a interruptionBegan 1
        : > ready
        until [ -e restarted ]; do pause; done
        await b serverReset 1
        [ "$(holder)" = $(process b) ] || exit 7
        end b TERM
        await a interruptionEnded 1
        i=0; until [ "$(gain)" = 20 ] || [ $i -gt 200 ]; do i=$((i + 1)); pause; done
        echo $(gain)
        [ "$(holder)" = $(process a) ] || exit 6
        end a TERM
        """)
      try await restarting.value
      #expect(lines == ["20"])
    }
  }

  @Test("watch --revert that was taken over leaves the settings to the other holder", .server)
  func takenOverReverts() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let hooks = try #require(sandbox.environment["XDG_CONFIG_HOME"]) + "/audiosession/hooks"
      let lines = try await run(
        sandbox,
        """
        mkdir -p \(hooks)/stopped.d
        printf '#!/bin/sh\\n: > \(sandbox.directory)/stopped\\n' > \(hooks)/stopped.d/x
        chmod 755 \(hooks)/stopped.d/x
        hold a first --revert
        hold b second --replace
        await a interruptionBegan 1
        end a TERM; echo $? $(gain) $(said a stopped) $(ls stopped)
        [ "$(holder)" = $(process b) ] || exit 7
        end b TERM
        """)
      #expect(lines == ["143 30 1 stopped"])
    }
  }

  @Test(
    "a holder whose mode was reverted resumes without one, and leaves what is in effect", .server)
  func resumesWithoutMode() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let lines = try await run(
        sandbox,
        """
        hold a first
        $A revert > /dev/null || exit 8
        echo $(gain)
        hold b second --replace
        await a interruptionBegan 1
        end b KILL
        await a interruptionEnded 1
        echo $(gain) $(said a reapplied)
        [ "$(holder)" = $(process a) ] || exit 7
        hold c third --replace --revert
        await a interruptionBegan 2
        end c TERM
        await a interruptionEnded 2
        echo $(gain) $(said a reapplied)
        [ "$(holder)" = $(process a) ] || exit 6
        end a TERM
        """)
      #expect(lines == ["100", "30 0", "100 0"])
    }
  }

  @Test(
    "an apply while another takes the session over is carried out by whoever holds then", .server)
  func applyDuringTakeOver() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let lines = try await run(
        sandbox,
        """
        hold a first
        lock=$(echo "$XDG_STATE_HOME"/audiosession/*.lock)
        orders=$(echo "$lock" | sed 's/lock$/order.lock/')
        waiting() { until ls -l /proc/$1/fd 2> /dev/null | grep -q 'order[.]lock'; do pause; done; }
        # The taker is first in line, then two commands, which think that the first holder has it.
        exec 8> "$orders"; flock 8
        : > b.out; $A watch second --replace --json > b.out 2> b.err 8>&- & echo $! > b.pid
        waiting $(process b)
        $A apply third > x.out 2>&1 8>&- & x=$!
        waiting $x
        $A apply fourth > y.out 2>&1 8>&- & y=$!
        waiting $y
        flock -u 8; exec 8>&-
        wait $x; x=$?; wait $y; echo $x $?
        await b applied 1
        [ "$(holder)" = $(process b) ] && echo taken
        end b TERM; end a TERM
        """)
      #expect(lines == ["0 0", "taken"])
    }
  }
}
