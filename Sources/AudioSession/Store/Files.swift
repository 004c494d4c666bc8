import Glibc
import SessionCore

/// File operations outside the store.
enum Files {
  /// The contents of a file; nil if it does not exist.
  static func read(_ path: String) throws(SessionError) -> [UInt8]? {
    do throws(FileError) {
      return try SystemCalls().content(of: path)
    } catch {
      throw error.sessionError("read", path)
    }
  }

  /// An absolute path without links, `.` and `..`; a missing part is appended as written to the
  /// existing folder.
  static func resolved(_ path: String) -> String {
    if let whole = realpath(path, nil) {
      defer { free(whole) }
      return String(cString: whole)
    }
    let parts = path.split(separator: "/")
    guard let last = parts.last else { return "/" }
    let folder = resolved("/" + parts.dropLast().joined(separator: "/"))
    switch last {
    case ".": return folder
    case "..": return "/" + folder.split(separator: "/").dropLast().joined(separator: "/")
    default: return folder == "/" ? "/\(last)" : "\(folder)/\(last)"
    }
  }

  /// Creates a folder and its parents, accessible only by the user.
  static func makeFolder(_ path: String) throws(SessionError) {
    var built = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      let parent = built
      built += "/\(part)"
      if mkdir(built, 0o700) == 0 {
        do throws(FileError) {
          try SystemCalls().syncFolder(parent.isEmpty ? "/" : parent)
        } catch {
          throw error.sessionError("sync", parent)
        }
      } else if errno != EEXIST {
        throw SystemCalls.error(errno).sessionError("make the folder", built)
      }
    }
  }
}
