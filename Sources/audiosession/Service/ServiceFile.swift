import AudioSession
import Glibc

/// The unit's file in the user's configuration.
struct ServiceFile {
  let path: String
  private let folder: String

  /// `$XDG_CONFIG_HOME/systemd/user/audiosession.service`, where systemd looks for a user's units.
  init() throws(SessionError) {
    let config = Self.variable("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    guard let config = config ?? Self.variable("HOME").map({ $0 + "/.config" }) else {
      throw SessionError(
        .storeFailed, stage: .session, "there is no place for units: set HOME or XDG_CONFIG_HOME")
    }
    folder = config + "/systemd/user"
    path = folder + "/" + ServiceUnit.name
  }

  static func variable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// The contents; nil if there is no file.
  func read() throws(SessionError) -> String? {
    guard let file = fopen(path, "re") else {
      if errno == ENOENT { return nil }
      throw failure("read")
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      bytes += buffer[..<count]
    }
    guard ferror(file) == 0 else { throw failure("read") }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether a file exists, including a dangling link, such as that of a masked unit.
  var exists: Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Replaces the unit: systemd finds the old or the new one, never a part.
  func write(_ text: String) throws(SessionError) {
    var built = ""
    for part in folder.split(separator: "/") {
      built += "/\(part)"
      if mkdir(built, 0o755) != 0, errno != EEXIST, access(built, F_OK) != 0 {
        throw failure("make the folder of")
      }
    }
    let new = path + ".new"
    unlink(new)  // left by a run that was killed
    guard let file = fopen(new, "wxe") else { throw failure("write") }
    let isWritten = fputs(text, file) >= 0
    guard fclose(file) == 0, isWritten, rename(new, path) == 0 else {
      let error = failure("write")
      unlink(new)
      throw error
    }
  }

  func remove() throws(SessionError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove") }
  }

  private func failure(_ verb: String) -> SessionError {
    SessionError(
      .storeFailed, stage: .session,
      "cannot \(verb) \(path): \(String(cString: strerror(errno)))", value: path)
  }

  /// The error for a unit that this program did not write.
  var isForeign: SessionError {
    SessionError(
      .storeFailed, stage: .session,
      "\(path) was not written by 'audiosession service install' and is left as it is", value: path,
      alternatives: ["look at it: systemctl --user cat audiosession"])
  }
}
