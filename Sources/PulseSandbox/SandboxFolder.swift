internal import Glibc
internal import POSIX
internal import PulseTypes

/// The folder that holds all files of one sandbox; only its owner can read it.
struct SandboxFolder: Sendable {
  let path: String

  var socket: String { path + "/pulse.sock" }
  var cookie: String { path + "/cookie" }
  var log: String { path + "/log" }
  /// Where PipeWire's simulated cards take commands.
  var cards: String { path + "/cards" }
  /// Where commands inside the sandbox request faults.
  var faultSocket: String { "\(path)/\(Self.faultSocketName)" }
  static let faultSocketName = "faults"
  var setup: String { path + "/home/setup.pa" }

  /// Makes the folder, with the files that the server reads at its start.
  ///
  /// If this process is killed before it starts the supervisor, about 100 µs later, an empty folder
  /// stays behind; nothing else of a sandbox can outlive it.
  init(for configuration: SandboxConfiguration) throws(SandboxError) {
    let parent = Self.parent()
    var template = Array("\(parent)/pulse-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw .folder("cannot make a folder in \(parent)", parent)
    }
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    do {
      try fill(for: configuration)
    } catch {
      remove()
      throw error
    }
  }

  private func fill(for configuration: SandboxConfiguration) throws(SandboxError) {
    let folders = ["run", "state", "home", "user", "user/run", "user/state", "user/config"]
    for name in folders { try makeFolder("\(path)/\(name)") }
    try write(Array(configuration.daemonConfiguration.utf8), to: path + "/home/daemon.conf")
    if !configuration.commands.isEmpty {
      let text = configuration.commands.joined(separator: "\n") + "\n"
      try write(Array(text.utf8), to: setup)
    }
    if configuration.server == .pipewire {
      for file in PipeWireFiles(configuration: configuration, socket: socket).all {
        let place = "\(path)/home/.config/\(file.path)"
        try makeFolder(String(place[..<place.lastIndex(of: "/")!]))
        try write(Array(file.text.utf8), to: place)
      }
    }
    // In advance, so that server and clients cannot both create one.
    try write((0..<256).map { _ in UInt8.random(in: 0...255) }, to: cookie)
  }

  /// The server's environment: no settings, bus or session of the user.
  var serverEnvironment: [String: String] {
    [
      "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "LD_BIND_NOW": "1",
      "HOME": path + "/home", "TMPDIR": path, "XDG_RUNTIME_DIR": path,
      "PULSE_RUNTIME_PATH": path + "/run", "PULSE_STATE_PATH": path + "/state",
      "PULSE_CONFIG_PATH": path + "/home", "PULSE_COOKIE": cookie,
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent",
      "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
    ]
  }

  private func makeFolder(_ path: String) throws(SandboxError) {
    do throws(Folder.Failure) { try Folder.make(path) } catch {
      throw .folder("cannot make the folder \(error.path)", error.path, error.error)
    }
  }

  /// The environment that directs a client to this server, and keeps it from the user's files.
  func clientEnvironment(address: String) -> [String: String] {
    [
      "PULSE_SERVER": address, "PULSE_COOKIE": cookie, "PULSE_RUNTIME_PATH": path + "/user/run",
      "XDG_RUNTIME_DIR": path + "/user/run", "XDG_STATE_HOME": path + "/user/state",
      "XDG_CONFIG_HOME": path + "/user/config", "PIPEWIRE_RUNTIME_DIR": path,
      RemoteSandbox.environmentVariable: path,
    ]
  }

  /// Removes the folder if no supervisor is left to do it.
  func remove() {
    let launch = Launch(
      program: "/bin/rm", arguments: ["-rf", "--", path], environment: ["LANG": "C.UTF-8"],
      group: .ownSession)
    if let child = try? launch.start() { reap(child) }
  }

  private func write(_ bytes: [UInt8], to path: String) throws(SandboxError) {
    do throws(SystemError) {
      try Descriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL).write(bytes)
    } catch {
      throw .folder("cannot write \(path)", path, error)
    }
  }

  /// `TMPDIR` if a socket's path in it is short enough (107 bytes) and needs no quoting in a
  /// server's address or a module's argument; otherwise `/tmp`.
  private static func parent() -> String {
    guard let path = ProcessEnvironment["TMPDIR"], path.hasPrefix("/"),
      path.utf8.count + "/pulse-XXXXXX/pipewire-0-manager".utf8.count <= 107,
      path.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-./_".contains($0)) }),
      access(path, W_OK | X_OK) == 0
    else { return "/tmp" }
    return path
  }
}
