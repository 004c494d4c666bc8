internal import Glibc
internal import POSIX
public import PulseTypes

/// Finds the server's programs on this machine, or in another root.
public enum ServerProgram {
  /// The variable that names another root, whose servers sandboxes then run (with `chroot`, which
  /// needs the right to). `/tmp` must be the same folder inside.
  public static let rootVariable = "AUDIOSESSION_SANDBOX_ROOT"

  /// The path of the `pulseaudio` program: the first in `PATH`, otherwise in `/usr/bin`; nil if it
  /// does not exist.
  ///
  /// A user's `PATH` may lack the system's folders, a sandbox should work nevertheless.
  public static var pulseaudio: String? { path(of: .pulseaudio) }

  /// Whether all programs of a kind of server exist.
  public static func isInstalled(_ kind: ServerKind) -> Bool { missing(kind).isEmpty }

  /// The program of a process; if there is another root, as seen inside it.
  static func path(of process: ServerProcess) -> String? {
    // It is built for this system, and reaches a server in another root by its socket.
    if process == .simulatedCards { return SimulatedCard.programPath() }
    guard let root else { return find(process.rawValue, path: ProcessEnvironment["PATH"]) }
    let path = "/usr/bin/\(process.rawValue)"
    return File.isProgram(root + path) ? path : nil
  }

  /// The command that enters the other root, if any; it precedes each command line.
  static var entrance: [String] {
    root.map { [find("chroot", path: "/usr/sbin:/sbin") ?? "/usr/sbin/chroot", $0] } ?? []
  }

  /// Drops the capability with which root's PipeWire would take realtime priority over all other
  /// programs. PulseAudio has an option for it.
  static var modesty: [String] {
    guard geteuid() == 0, let setpriv = find("setpriv", path: "/usr/bin:/bin") else { return [] }
    return [setpriv, "--bounding-set=-sys_nice", "--inh-caps=-sys_nice"]
  }

  static var root: String? { ProcessEnvironment[rootVariable] }

  static func find(_ name: String, path: String?) -> String? {
    File.program(name, path: (path ?? "") + ":/usr/bin:/usr/local/bin")
  }

  static func missing(_ kind: ServerKind) -> [ServerProcess] {
    ServerProcess.all(of: kind).filter { path(of: $0) == nil }
  }

  /// The error for a machine without some of the programs; a package has each program's name.
  static func error(missing: [ServerProcess]) -> SandboxError {
    if missing.contains(.simulatedCards) {
      return SandboxError(
        .programMissing, "a sandbox with cards needs the program for them, which was not found",
        remedy: "build it: Tests/SimulatedCard/build")
    }
    let names = missing.map(\.rawValue)
    let isOne = names.count == 1
    return SandboxError(
      .programMissing,
      "a sandbox needs the program\(isOne ? "" : "s") "
        + names.map { "'\($0)'" }.joined(separator: ", ")
        + ", which \(isOne ? "is" : "are") not installed",
      remedy: "install \(isOne ? "it" : "them"): apt-get install \(names.joined(separator: " "))")
  }
}
