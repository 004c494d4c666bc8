import Glibc
import SessionCore

/// Small files, written whole or not at all.
enum Files {
  /// The content of a file; nil where there is none.
  static func read(_ path: String) throws(SessionError) -> [UInt8]? {
    do throws(FileError) {
      return try SystemCalls().content(of: path)
    } catch {
      throw error.sessionError("read", path)
    }
  }

  /// Replaces a file: a reader finds the old content or the new, never a part.
  ///
  /// - Parameter isSynced: whether a power cut leaves one of them, too.
  static func write(
    _ bytes: [UInt8], to path: String, isSynced: Bool = false
  ) throws(SessionError) {
    do throws(FileError) {
      try SystemCalls().replace(path, with: bytes, isSynced: isSynced)
    } catch {
      throw error.sessionError("write", path)
    }
  }

  /// Removes a file, if it is there.
  static func remove(_ path: String) throws(SessionError) {
    do throws(FileError) {
      try SystemCalls().unlink(path)
    } catch {
      throw error.sessionError("remove", path)
    }
  }

  /// Gives a file another name.
  static func rename(_ path: String, to new: String) throws(SessionError) {
    do throws(FileError) {
      try SystemCalls().rename(path, to: new)
    } catch {
      throw error.sessionError("rename", path)
    }
  }

  /// Waits until a folder's names are on the disk.
  static func syncFolder(_ path: String) throws(SessionError) {
    do throws(FileError) {
      try SystemCalls().syncFolder(path)
    } catch {
      throw error.sessionError("sync", path)
    }
  }

  /// Makes a folder and those above it, for the user alone.
  static func makeFolder(_ path: String) throws(SessionError) {
    var built = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      let parent = built
      built += "/\(part)"
      if mkdir(built, 0o700) == 0 {
        try syncFolder(parent.isEmpty ? "/" : parent)
      } else if errno != EEXIST {
        throw SystemCalls.error(errno).sessionError("make the folder", built)
      }
    }
  }
}
