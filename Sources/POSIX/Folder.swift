package import Glibc

package enum Folder {
  /// The names in a folder, in no order; empty if it cannot be read.
  package static func names(_ path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    return names(in: folder).all
  }

  /// The names in a folder, in no order; empty if there is no such folder.
  package static func namesIfThere(_ path: String) throws(SystemError) -> [String] {
    guard let folder = opendir(path) else {
      let error = SystemError.last
      guard error.isOfMissingFile else { throw error }
      return []
    }
    defer { closedir(folder) }
    let (all, end) = names(in: folder)
    guard end.number == 0 else { throw end }
    return all
  }

  /// The names up to the end of a folder, or up to an error.
  private static func names(in folder: OpaquePointer) -> (all: [String], end: SystemError) {
    var names: [String] = []
    while true {
      // The end leaves the number as it is.
      errno = 0
      guard let entry = readdir(folder) else { return (names, .last) }
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
  }

  /// A folder that could not be made.
  package struct Failure: Error {
    package var path: String
    package var error: SystemError
  }

  /// Creates a folder and its parents; returns the parents of those that are new.
  @discardableResult
  package static func make(_ path: String, mode: mode_t = 0o700) throws(Failure) -> [String] {
    var parents: [String] = []
    var built = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      let parent = built
      built += "/\(part)"
      if mkdir(built, mode) == 0 {
        parents.append(parent.isEmpty ? "/" : parent)
      } else if case let error = SystemError.last, error.number != EEXIST, !File.exists(built) {
        throw Failure(path: built, error: error)
      }
    }
    return parents
  }
}
