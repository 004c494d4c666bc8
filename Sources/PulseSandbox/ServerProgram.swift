internal import Glibc

/// Finds the server's program on this machine.
public enum ServerProgram {
  /// The path of the `pulseaudio` program: the first in `PATH`, else in `/usr/bin`; nil without one.
  ///
  /// A user's `PATH` may lack the system's folders, a sandbox should work nevertheless.
  public static var pulseaudio: String? {
    find("pulseaudio", path: environmentValue("PATH"))
  }

  static func find(_ name: String, path: String?) -> String? {
    executable(name, path: (path ?? "") + ":/usr/bin:/usr/local/bin")
  }

  static let missing = SandboxError(
    .programMissing, "a sandbox needs the program 'pulseaudio', which is not installed",
    remedy: "install it: apt-get install pulseaudio")
}

/// The file that a shell would run for `name`, given the value of `PATH`.
func executable(_ name: String, path: String) -> String? {
  if name.contains("/") { return isExecutable(name) ? name : nil }
  guard !name.isEmpty else { return nil }
  return path.split(separator: ":").lazy.map { "\($0)/\(name)" }.first(where: isExecutable)
}

private func isExecutable(_ path: String) -> Bool {
  var status = stat()
  return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
}
