import Glibc
import POSIX
import SessionCore

/// Reads files of text.
package enum TextFile {
  /// The whole text of a file, which must be UTF-8 and not longer than any profile.
  static func read(_ path: String) throws(ProfileDiagnostic) -> String {
    try text(of: try bytes(of: path), path)
  }

  package static func text(of bytes: [UInt8], _ path: String) throws(ProfileDiagnostic) -> String {
    guard bytes.count <= TOMLText.limit else {
      throw failure(path, "this file is longer than 1 MiB; no profile is")
    }
    if let at = bytes.firstIndex(of: 0) {
      let line = bytes[..<at].count { $0 == UInt8(ascii: "\n") } + 1
      throw failure(path, line: line, "this is not a text file: there is a NUL byte in this line")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      let bad = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
      throw failure(path, line: bad + 1, "this line is not UTF-8; a profile must be")
    }
    return text
  }

  private static func bytes(of path: String) throws(ProfileDiagnostic) -> [UInt8] {
    // Does not block on a pipe, the other end of which may never be opened or written to.
    let file: Descriptor
    do throws(SystemError) { file = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK) } catch {
      throw failure(path, error)
    }
    var status = stat()
    let isFile = fstat(file.raw, &status) == 0 && status.isRegular
    // For a pipe, the limit for the next bytes.
    var deadline = ContinuousClock.now + .seconds(1)
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= TOMLText.limit {
      let count = Glibc.read(file.raw, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN, ContinuousClock.now < deadline {
        poll([.input(file.raw)], for: 50)
        continue
      }
      guard count >= 0 || errno == EAGAIN else { throw failure(path, .last) }
      if count == 0, isFile || !bytes.isEmpty { break }
      guard count > 0 else {
        throw failure(path, "this is a pipe or a device that gives no profile; name a file")
      }
      bytes += buffer[..<count]
      deadline = .now + .seconds(1)
    }
    return bytes
  }

  private static func failure(_ path: String, _ error: SystemError) -> ProfileDiagnostic {
    switch error.number {
    case ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP:
      ProfileDiagnostic(
        "there is no such file", file: path, at: nil, value: path, code: .profileNotFound)
    case EISDIR: failure(path, "this is a directory; a profile is a file")
    case EACCES, EPERM:
      failure(path, "this file cannot be read: \(error)", code: .accessDenied)
    default: failure(path, "this file cannot be read: \(error)")
    }
  }

  /// A folder of profiles that cannot be read.
  static func failure(ofFolder path: String, _ error: SystemError) -> ProfileDiagnostic {
    let isRefused = [EACCES, EPERM].contains(error.number)
    return failure(
      path, "this folder of profiles cannot be read: \(error)",
      code: isRefused ? .accessDenied : .invalidValue)
  }

  private static func failure(
    _ path: String, line: Int? = nil, _ message: String, code: SessionError.Code = .invalidValue
  ) -> ProfileDiagnostic {
    ProfileDiagnostic(
      message, file: path, at: line.map { Position(line: $0) }, value: path, code: code)
  }
}
