import Glibc

/// Arguments and folders whose bytes are no UTF-8: as text they would name other files.
enum Encoding {
  /// The variables with folders of the user's files.
  private static let folders = [
    "HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
  ]

  /// The first of them; nil if there is none.
  static var mistake: String? {
    for number in 0..<Int(CommandLine.argc) where !isText(CommandLine.unsafeArgv[number]) {
      return "argument \(number) is not UTF-8; file names and other arguments must be"
    }
    for name in folders where !isText(getenv(name)) {
      return "the variable \(name) is not UTF-8; set it to a folder whose name is"
    }
    return nil
  }

  private static func isText(_ bytes: UnsafePointer<CChar>?) -> Bool {
    bytes.map { String(validatingCString: $0) != nil } ?? true
  }
}
