import AudioStreams
import Glibc
import POSIX
import PulseSandbox
import TestSupport
import Testing

extension Trait where Self == ConditionTrait {
  /// Skips where there is no rtkit to ask, or nothing to record with.
  static var rtkit: Self {
    .enabled(
      if: SoundLibrary.isAvailable
        && access(RealtimeKitTests.daemon, F_OK) == 0
        && access("/usr/bin/dbus-daemon", F_OK) == 0
        && access("/usr/include/dbus-1.0/dbus/dbus.h", F_OK) == 0,
      "needs the packages rtkit, libdbus-1-dev and libsndfile1-dev")
  }
}

/// A program without a right of its own asks rtkit: the real one, on a bus that is only this test's.
@Suite("Realtime by rtkit", .server, .rtkit, .timeLimit(.minutes(10)))
struct RealtimeKitTests {
  static let daemon = "/usr/libexec/rtkit-daemon"

  /// A bus for anybody, and on it what is named; `$B` is its address.
  private func bus(with services: String, _ script: String) -> String {
    """
    cat >bus.conf <<END
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
      "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig><listen>unix:abstract=audiosession-$$</listen><auth>EXTERNAL</auth>
    <policy context="default"><allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/><allow own="*"/><allow user="*"/></policy>
    </busconfig>
    END
    export DBUS_SYSTEM_BUS_ADDRESS=unix:abstract=audiosession-$$
    pids=
    trap 'kill $pids' EXIT
    begin() { # name on the bus, program
      name=$1; shift
      "$@" >>daemons.log 2>&1 & pids="$! $pids"
      until dbus-send --bus=$DBUS_SYSTEM_BUS_ADDRESS --print-reply --dest=org.freedesktop.DBus / \\
        org.freedesktop.DBus.GetNameOwner string:$name >>daemons.log 2>&1
      do pause; done
    }
    begin org.freedesktop.DBus dbus-daemon --nofork --nopidfile --config-file=bus.conf
    \(services)
    ulimit -r 0
    \(script)
    """
  }

  private static let policy =
    "begin org.freedesktop.PolicyKit1 /usr/lib/polkit-1/polkitd --no-debug"
  private static let rtkit = """
    begin org.freedesktop.RealtimeKit1 \(daemon) --no-chroot --no-drop-privileges \
    --no-limit-resources --no-canary --stderr
    """

  /// A recording by a program that may not raise its own priority.
  private static let record = """
    setpriv --bounding-set -sys_nice --inh-caps -sys_nice \
    $A -v record a.wav --duration 200ms
    """

  /// Where the machine lets nobody be realtime (a container without the right), rtkit refuses, too.
  @Test(
    "what rtkit says is what the recording says",
    arguments: [
      (policy + "\n" + rtkit, "the audio thread is realtime by rtkit, priority 5"),
      (rtkit, "the audio thread is not realtime: Operation not permitted; rtkit refused"),
      ("", "Operation not permitted; rtkit does not answer (package rtkit)"),
    ])
  func asks(_ services: String, _ words: String) async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      // Who asks waits half a second for an answer, and a busy machine may take longer.
      for round in 1...10 {
        noteTry(round, of: 10)
        let result = try await sandbox.shell(
          "cd \(sandbox.directory)\n" + bus(with: services, Self.record + "; code=$?\n")
            + "cat daemons.log; rm daemons.log; exit $code")
        #expect(result.status == 0, "\(result)")
        let said = result.standardError.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let isImpossible = result.standardOutput.contains("Failed to make")
        if said.contains(isImpossible ? "rtkit refused" : words) { return }
        #expect(round < 10, "\(result)")
      }
    }
  }

  @Test("nor does a bus that accepts nobody any more", .timeLimit(.minutes(10)))
  func fullBus() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let path = sandbox.directory + "/bus"
      let address = try #require(UnixAddress(path))
      let bus = try unixSocket(SOCK_STREAM)
      #expect(address.with { bind(bus.raw, $0, $1) } == 0 && listen(bus.raw, 0) == 0)
      let client = try unixSocket(SOCK_STREAM, isBlocking: false)
      let next = try unixSocket(SOCK_STREAM, isBlocking: false)
      #expect(address.with { connect(client.raw, $0, $1) } == 0)
      #expect(address.with { connect(next.raw, $0, $1) } == -1 && errno == EAGAIN)
      let result = try await sandbox.shell(
        "cd \(sandbox.directory); ulimit -r 0; export DBUS_SYSTEM_BUS_ADDRESS=unix:path=\(path)\n"
          + Self.record)
      #expect(result.status == 0, "\(result)")
      #expect(result.standardError.contains("rtkit"), "\(result)")
      withExtendedLifetime(bus) {}
      withExtendedLifetime(client) {}
    }
  }

  @Test("a bus that does not answer delays a recording, and does not stop it")
  func frozenBus() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let result = try await sandbox.shell(
        "cd \(sandbox.directory)\n"
          + bus(with: "", "kill -STOP $pids\n\(Self.record); code=$?; kill -CONT $pids; exit $code")
      )
      #expect(result.status == 0, "\(result)")
      #expect(result.standardError.contains("rtkit"), "\(result)")
    }
  }
}
