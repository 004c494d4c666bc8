import Foundation
import Glibc
import POSIX
import Pulse
import TestSupport
import Testing

/// A real PulseAudio of a test's own, in a folder of its own; ends with the last reference.
final class PrivateServer: Sendable {
  static let isInstalled = access("/usr/bin/pulseaudio", X_OK) == 0

  /// No test may ever find the user's server or cookie.
  static let isolatedEnvironment: Void = {
    setenv("PULSE_SERVER", "unix:/nonexistent/pulse", 1)
    setenv("PULSE_COOKIE", "/tmp/pulse-tests-\(getpid()).cookie", 1)
    atexit { unlink("/tmp/pulse-tests-\(getpid()).cookie") }
  }()

  static let sinks = [
    "module-null-sink sink_name=speaker rate=44100",
    "module-null-sink sink_name=hall rate=44100",
  ]

  private let place = TemporaryFolder()
  var folder: String { place.path }
  let pid: pid_t
  var address: String { "unix:\(folder)/pulse.sock" }

  /// Starts a server and waits for its socket.
  init(_ modules: [String] = PrivateServer.sinks, access: [String]? = nil) async throws {
    Self.isolatedEnvironment
    let folder = place.path
    for part in ["/run", "/state", "/home"] { mkdir(folder + part, 0o700) }
    let native = "module-native-protocol-unix socket=\(folder)/pulse.sock"
    let last = access ?? ["\(native) auth-anonymous=1 auth-cookie-enabled=0"]
    pid = try Self.spawn(folder, (modules + last).flatMap { ["-L", $0] })
    if access == nil {
      // The file is there a moment before the server listens.
      try await wait { UnixAddress(folder + "/pulse.sock")?.hasListener == true }
    }
  }

  deinit {
    kill(pid, SIGKILL)
    reap(pid)
  }

  func signal(_ number: Int32) { kill(pid, number) }

  /// Kills it, and returns when its connections are closed.
  func end() {
    kill(pid, SIGKILL)
    var end = siginfo_t()
    waitid(P_PID, id_t(pid), &end, WEXITED | WNOWAIT)
  }

  /// A client of this server.
  func connect(
    name: String = "test", requestTimeout: Duration = .seconds(20), loop: PulseLoop? = nil
  ) async throws -> PulseClient {
    try await PulseClient.connect(
      to: address, name: name, timeout: .seconds(20), requestTimeout: requestTimeout, loop: loop)
  }

  private static func spawn(_ folder: String, _ modules: [String]) throws -> pid_t {
    let environment = [
      "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "LD_BIND_NOW": "1", "HOME": folder + "/home",
      "TMPDIR": folder, "XDG_RUNTIME_DIR": folder, "PULSE_RUNTIME_PATH": folder + "/run",
      "PULSE_STATE_PATH": folder + "/state", "PULSE_CONFIG_PATH": folder + "/home",
      "PULSE_COOKIE": folder + "/cookie", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent",
      "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
    ]
    let arguments =
      [
        "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--disallow-exit=no",
        "--realtime=no", "--high-priority=no", "--log-target=stderr",
      ] + modules
    return try Launch(
      program: "/usr/bin/pulseaudio", arguments: arguments, environment: environment,
      files: [(2, "\(folder)/log", O_CREAT | O_WRONLY)]
    ).spawn()
  }
}

/// Waits for a condition, without which a test cannot go on.
func wait(
  sourceLocation: SourceLocation = #_sourceLocation, isolation: isolated (any Actor)? = #isolation,
  _ condition: () async throws -> Bool
) async throws {
  try #require(await eventually(condition), sourceLocation: sourceLocation)
}

extension Trait where Self == ConditionTrait {
  /// Skips the test where there is no PulseAudio to test against.
  static var needsPulseAudio: ConditionTrait {
    .enabled(if: PrivateServer.isInstalled, "install pulseaudio")
  }
}
