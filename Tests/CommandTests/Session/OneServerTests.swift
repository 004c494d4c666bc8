import Glibc
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

/// One server has one holder, whatever its address is called.
@Suite("One server, several addresses", .pipewire, .timeLimit(.minutes(10)))
struct OneServerTests {
  private static let servers: [ServerKind] = [.pulseaudio, .pipewire]

  /// Runs a script; `hold NAME ARGUMENTS` starts `watch` and waits until it has applied, `await FILE WORDS`
  /// waits for words in a file.
  private func run(_ kind: ServerKind, _ script: (PulseSandbox) -> String) async throws -> String {
    try await PulseSandbox.with(.minimal(on: kind)) { sandbox in
      for (index, name) in ["first", "second"].enumerated() {
        try sandbox.write(profile: name, "[input]\ngain = \"\(index + 2)0 %\"\n")
      }
      let result = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        await() { until grep -q "$2" $1; do pause; done; }
        launch() { name=$1; shift; : > $name; $A watch --json "$@" > $name 2> $name.err < /dev/null & eval $name=$!; }
        hold() { launch "$@"; await $1 applied; }
        profile() { $A state --json "$@" | sed -n 's/.*"profile": "\\([a-z]*\\)".*/\\1/p'; }
        \(script(sandbox))
        """)
      #expect(result.status == 0, "\(result)")
      return result.standardOutput
    }
  }

  @Test("a link and a path with dots are the same socket, and have the same lock")
  func spelling() async throws {
    let said = try await run(.pulseaudio) { sandbox in
      """
      ln -s . link; mkdir x
      for server in unix:$PWD/link/pulse.sock $PWD/./x/../pulse.sock; do
        hold a first
        $A apply second --server $server > /dev/null || exit 8
        profile
        kill $a; wait $a
      done
      ls $XDG_STATE_HOME/audiosession/*.lock | grep -vc order
      """
    }
    #expect(said == "second\nsecond\n1\n")
  }

  @Test("a server that no variable names is the runtime folder's, also once it has ended")
  func runtimeFolder() async throws {
    let said = try await run(.pulseaudio) { _ in
      """
      mkdir -m 700 run run/pulse
      pactl load-module module-native-protocol-unix socket=$PWD/run/pulse/native > /dev/null || exit 9
      echo 'autospawn = no' > client.conf
      export PULSE_CLIENTCONFIG=$PWD/client.conf XDG_RUNTIME_DIR=$PWD/run
      unset PULSE_SERVER PULSE_RUNTIME_PATH DISPLAY
      $A apply first > /dev/null || exit 8
      profile
      pactl exit
      while pactl info > /dev/null 2>&1; do pause; done
      profile 2> /dev/null
      (export PULSE_RUNTIME_PATH=$PWD/run/pulse XDG_RUNTIME_DIR=$PWD; profile 2> /dev/null)
      unset XDG_RUNTIME_DIR
      $A doctor --no-listen --json | sed -n 's/.*"object": "\\(unix:[^"]*\\)".*/\\1/p'
      """
    }
    // Without the variable libpulse looks for no user's server, and the doctor says where it looked.
    #expect(said == "first\nfirst\nfirst\nunix:/run/pulse/native\n")
  }

  @Test(
    "a holder is seen by another address: orders go to it, another one waits or takes over",
    arguments: servers)
  func addresses(_ kind: ServerKind) async throws {
    let said = try await run(kind) { sandbox in
      """
      port=$((20000 + $$ % 20000))
      until pactl load-module module-native-protocol-tcp listen=127.0.0.1 port=$port auth-anonymous=1 \
        > /dev/null 2>&1
      do port=$((port + 1)); done
      tcp=tcp:127.0.0.1:$port
      hold a first
      $A apply second --server $tcp > /dev/null || exit 8
      profile; profile --server $tcp
      launch b first --server $tcp
      await b.err 'trying again'
      kill $b; wait $b
      hold c first --server $tcp --replace
      await a interruptionBegan
      profile --server $tcp
      kill $c; wait $c
      await a interruptionEnded
      profile
      kill $a; wait $a
      hold d first --server $tcp
      echo ended
      kill $d; wait $d
      exit 0
      """
    }
    #expect(said == "second\nsecond\nfirst\nsecond\nended\n")
  }
}
