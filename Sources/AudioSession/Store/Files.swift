import POSIX
import SessionCore

/// File operations outside the store.
enum Files {
  /// An absolute path without links, `.` and `..`; a missing part is appended as written to the
  /// existing folder.
  static func resolved(_ path: String) -> String {
    if let whole = File.real(path) { return whole }
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
    let parents: [String]
    do throws(Folder.Failure) { parents = try Folder.make(path) } catch {
      throw FileError(error.error).sessionError("make the folder", error.path)
    }
    for parent in parents {
      do throws(FileError) { try SystemCalls().syncFolder(parent) } catch {
        throw error.sessionError("sync", parent)
      }
    }
  }
}
