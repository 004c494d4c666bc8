import Glibc
import SessionCore

/// What is asked of files beside those of the store.
enum Files {
  /// The content of a file; nil where there is none.
  static func read(_ path: String) throws(SessionError) -> [UInt8]? {
    do throws(FileError) {
      return try SystemCalls().content(of: path)
    } catch {
      throw error.sessionError("read", path)
    }
  }

  /// Makes a folder and those above it, for the user alone.
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
