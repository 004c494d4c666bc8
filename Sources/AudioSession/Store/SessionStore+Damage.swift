import Glibc
import POSIX
import SessionCore

extension SessionStore {
  /// Whether the last mode was damaged and set aside, and none was stored since: which settings should be
  /// in effect is unknown.
  var hasLostMode: Bool { access(files.asidePath(.mode), F_OK) == 0 }

  /// What keeps the files from being written, as far as that is known without writing; nil if nothing does.
  var obstacle: (path: String, reason: String)? {
    var place = folder
    while !File.exists(place), File.link(place) == nil, let slash = place.lastIndex(of: "/") {
      place = slash > place.startIndex ? String(place[..<slash]) : "/"
    }
    guard File.status(place)?.isFolder == true else { return (place, "it is no folder") }
    let uses = [(place, W_OK | X_OK), (lockPath, R_OK | W_OK)]
    return uses.lazy.filter { File.exists($0) && access($0, $1) != 0 }
      .map { ($0.0, SystemError.last.description) }.first
  }

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
