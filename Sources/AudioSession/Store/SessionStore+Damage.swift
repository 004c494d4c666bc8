import Glibc
import POSIX
import SessionCore

extension SessionStore {
  /// Whether the last mode was damaged and set aside, and none was stored since: which settings should be
  /// in effect is unknown.
  var hasLostMode: Bool { access(files.asidePath(.mode), F_OK) == 0 }

  /// What keeps the files from being written; nil if nothing does, as far as that is known without leaving
  /// anything.
  var obstacle: (path: String, error: FileError)? {
    var place = folder
    while !File.exists(place), File.link(place) == nil, let slash = place.lastIndex(of: "/") {
      place = slash > place.startIndex ? String(place[..<slash]) : "/"
    }
    guard File.status(place)?.isFolder == true else {
      return (place, FileError(.other, "it is no folder"))
    }
    let uses = [(place, W_OK | X_OK), (lockPath, R_OK | W_OK)]
    let refused = uses.lazy.filter { File.exists($0) && access($0, $1) != 0 }
      .map { ($0.0, FileError(.last)) }.first
    return refused ?? Self.shortage(in: place).map { (place, $0) }
  }

  /// Why a folder has no room for the files of a session, on a full disk or by a quota; nil if it has, and
  /// where the file system has no files without a name.
  private static func shortage(in folder: String) -> FileError? {
    do throws(SystemError) {
      // Without a name, it is gone when it is closed, and the folder stays as it is.
      let file = try Descriptor(opening: folder, Self.unnamed | O_WRONLY)
      try file.write([UInt8](repeating: 0, count: usualSize))
      return nil
    } catch {
      let failure = FileError(error)
      return failure.kind == .full ? failure : nil
    }
  }

  /// O_TMPFILE, a macro that Swift does not read.
  private static let unnamed = 0o20000000 | O_DIRECTORY

  /// The bytes that the files of a session have together, about.
  private static let usualSize = 32 << 10

  /// Problems of the files that are not replaced with every change, for users.
  var problems: [String] {
    var result: [String] = []
    do throws(SessionError) { _ = try mode() } catch { result.append(error.message) }
    do throws(SessionError) {
      if let note = try baseline().newerNote { result.append(note) }
    } catch {
      result.append(error.message)
    }
    return result
  }

  /// Why nothing could be restored when a mode has ended, for users; nil unless its baseline was damaged and
  /// set aside.
  func endLostBaseline() -> String? {
    guard access(files.asidePath(.baseline), F_OK) == 0 else { return nil }
    return files.endLostBaseline().map { path, kept in
      "cannot restore: the settings from before are not known (\(path) is damaged; kept as \(kept))"
    }
  }

  /// Renames damaged files. Call it only with the lock held.
  ///
  /// - Returns: what was damaged, and its new name.
  func setDamageAside() -> [String] {
    [files.setAside(.mode, parse: parseMode), files.setAside(.baseline, parse: parseBaseline)]
      .compactMap { $0 }
  }
}
