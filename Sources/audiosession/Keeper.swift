import AudioSession
@preconcurrency import Glibc  // `environ` is a plain C variable

/// Starts a holder for a mode that was just applied: the service if it is installed, otherwise
/// `watch` in the background.
struct Keeper {
  let options: GlobalOptions

  /// Returns once the holder reports that it is ready.
  func start() async throws(SessionError) {
    if await startService() { return }
    let listener = try NotifyListener()
    let log = Self.logPath
    let child = try spawn(listener, log)
    guard await listener.waitForReady(of: child, atMost: options.timeout.duration) else {
      throw SessionError(
        .activationFailed, stage: .session,
        "the process that was to keep the setup did not get ready; it says: \(Self.lastWords(log))",
        value: String(child))
    }
  }

  /// False if our service is not installed for this server, or does not start.
  private func startService() async -> Bool {
    guard options.server == nil, let file = try? ServiceFile(),
      let text = try? file.read(), ServiceUnit.isOurs(text)
    else { return false }
    let manager = ServiceManager(timeout: options.timeout.duration)
    guard await manager.absence() == nil else { return false }
    // The service is ready once it maintains the stored mode.
    if case .done = await manager.run("start", ServiceUnit.name) { return true }
    return false
  }

  /// Starts a `watch`, which adopts the stored mode and survives the end of this program's
  /// terminal.
  private func spawn(_ listener: borrowing NotifyListener, _ log: String) throws(SessionError)
    -> pid_t
  {
    var arguments = [Self.programPath, "watch"]
    if let server = options.server { arguments += ["--server", server] }
    var variables = ["NOTIFY_SOCKET=\(listener.address)"]
    var entry = environ
    while let text = entry.pointee.map({ String(cString: $0) }) {
      if !text.hasPrefix("NOTIFY_SOCKET=") { variables.append(text) }
      entry += 1
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    // Swift does not import POSIX_SPAWN_SETSID: a new session, which no terminal can end.
    posix_spawnattr_setflags(&attributes, Int16(0x80) | Int16(POSIX_SPAWN_SETSIGMASK))
    Self.keepFilesToOneself()
    // The holder must not keep the file system of the current folder in use.
    let folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    chdir("/")
    defer {
      fchdir(folder)
      close(folder)
    }
    var child = pid_t()
    let result = Self.withCStrings(arguments) { arguments in
      Self.withCStrings(variables) { variables in
        posix_spawn(&child, Self.programPath, &actions, &attributes, arguments, variables)
      }
    }
    guard result == 0 else {
      throw SessionError(
        .activationFailed, stage: .session,
        "cannot start a process that keeps the setup: \(String(cString: strerror(result)))")
    }
    return child
  }

  /// Inherited files would stay open, and locked, after the caller's end.
  private static func keepFilesToOneself() {
    guard let folder = opendir("/proc/self/fd") else { return }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if let number = Int32(name), number > 2 { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
    }
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }

  /// This program's executable.
  static var programPath: String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    return String(decoding: buffer[..<max(0, count)].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The file for the background process's errors.
  private static var logPath: String { SessionConfiguration.defaultStoreFolder + "/watch.log" }

  private static func lastWords(_ log: String) -> String {
    guard let file = fopen(log, "r") else { return "nothing" }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 2000)
    let count = fread(&buffer, 1, buffer.count, file)
    let text = String(
      decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    let lines = text.split(separator: "\n")
    return lines.isEmpty ? "nothing" : lines.joined(separator: " ")
  }
}
