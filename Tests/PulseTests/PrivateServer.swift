import Foundation
import Glibc
import Pulse
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

  let folder: String
  let pid: pid_t
  var address: String { "unix:\(folder)/pulse.sock" }

  /// Starts a server and waits for its socket.
  init(_ modules: [String] = PrivateServer.sinks, access: [String]? = nil) async throws {
    Self.isolatedEnvironment
    let folder = "/tmp/pt-\(getpid())-\(UInt32.random(in: 0 ..< .max))"
    self.folder = folder
    for part in ["", "/run", "/state", "/home"] { mkdir(folder + part, 0o700) }
    let native = "module-native-protocol-unix socket=\(folder)/pulse.sock"
    let last = access ?? ["\(native) auth-anonymous=1 auth-cookie-enabled=0"]
    pid = try Self.spawn(folder, (modules + last).flatMap { ["-L", $0] })
    if access == nil {
      // The file is there a moment before the server listens.
      try await eventually { Self.listens(folder + "/pulse.sock") }
    }
  }

  deinit {
    kill(pid, SIGKILL)
    waitpid(pid, nil, 0)
    try? FileManager.default.removeItem(atPath: folder)
  }

  func signal(_ number: Int32) { kill(pid, number) }

  /// A client of this server.
  func connect(
    name: String = "test", requestTimeout: Duration = .seconds(20), loop: PulseLoop? = nil
  ) async throws -> PulseClient {
    try await PulseClient.connect(
      to: address, name: name, timeout: .seconds(20), requestTimeout: requestTimeout, loop: loop)
  }

  private static func listens(_ path: String) -> Bool {
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { Glibc.close(socket) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    return withUnsafeBytes(of: &address) {
      Glibc.connect(socket, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, size) == 0
    }
  }

  private static func spawn(_ folder: String, _ modules: [String]) throws -> pid_t {
    let environment = [
      "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "LD_BIND_NOW=1", "HOME=\(folder)/home",
      "TMPDIR=\(folder)", "XDG_RUNTIME_DIR=\(folder)", "PULSE_RUNTIME_PATH=\(folder)/run",
      "PULSE_STATE_PATH=\(folder)/state", "PULSE_CONFIG_PATH=\(folder)/home",
      "PULSE_COOKIE=\(folder)/cookie", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent",
      "DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nonexistent",
    ]
    let arguments =
      [
        "pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1",
        "--disallow-exit=no", "--realtime=no", "--high-priority=no", "--log-target=stderr",
      ] + modules
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 2, "\(folder)/log", O_CREAT | O_WRONLY, 0o600)
    let argv = arguments.map { strdup($0) } + [nil]
    let envp = environment.map { strdup($0) } + [nil]
    defer { (argv + envp).forEach { free($0) } }
    var pid: pid_t = 0
    let result = posix_spawn(&pid, "/usr/bin/pulseaudio", &actions, nil, argv, envp)
    try #require(result == 0, "cannot start pulseaudio: \(String(cString: strerror(result)))")
    return pid
  }
}

/// Waits for a condition, looking again every few milliseconds.
func eventually(
  within limit: Duration = .seconds(20), sourceLocation: SourceLocation = #_sourceLocation,
  isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + limit
  while try await !condition() {
    try #require(ContinuousClock.now < end, "not within \(limit)", sourceLocation: sourceLocation)
    try await Task.sleep(for: .milliseconds(2))
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips the test where there is no PulseAudio to test against.
  static var needsPulseAudio: ConditionTrait {
    .enabled(if: PrivateServer.isInstalled, "install pulseaudio")
  }
}
