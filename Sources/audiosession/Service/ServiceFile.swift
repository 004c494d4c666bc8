import AudioSession
import Glibc
import POSIX

/// The unit's file in the user's configuration.
struct ServiceFile {
  let path: String
  private let folder: String

  /// `$XDG_CONFIG_HOME/systemd/user/audiosession.service`, where systemd looks for a user's units.
  init() throws(SessionError) {
    guard let config = ProcessEnvironment.configFolder() else {
      throw SessionError(
        .storeFailed, stage: .session,
        "there is no place for units: set HOME or XDG_CONFIG_HOME to an absolute path")
    }
    folder = config + "/systemd/user"
    path = folder + "/" + ServiceUnit.name
  }

  /// The contents; nil if there is no file.
  func read() throws(SessionError) -> String? {
    do throws(SystemError) {
      return String(decoding: try File.bytes(of: path), as: UTF8.self)
    } catch {
      if error.number == ENOENT { return nil }
      throw failure("read", error)
    }
  }

  /// Whether a file exists, including a dangling link, such as that of a masked unit.
  var exists: Bool {
    get throws(SessionError) {
      do throws(SystemError) { return try File.isThere(path) } catch {
        throw failure("look for", error)
      }
    }
  }

  /// Replaces the unit: systemd finds the old or the new one, never a part.
  func write(_ text: String) throws(SessionError) {
    do throws(Folder.Failure) { try Folder.make(folder, mode: 0o755) } catch {
      throw failure("make the folder of", error.error)
    }
    do throws(SystemError) {
      try File.replace(path, with: text.utf8, by: path + ".new", mode: 0o666)
    } catch {
      throw failure("write", error)
    }
  }

  /// Removes it, and the link by which it is enabled: without the file systemd finds nothing to disable.
  func remove() throws(SessionError) {
    let link = folder + "/default.target.wants/" + ServiceUnit.name
    if File.link(link) != nil { unlink(link) }
    guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove", .last) }
  }

  private func failure(_ verb: String, _ error: SystemError) -> SessionError {
    SessionError(
      .storeFailed, stage: .session, "cannot \(verb) \(path): \(error)", value: path)
  }

  /// The error for a unit that this program did not write.
  var isForeign: SessionError {
    SessionError(
      .storeFailed, stage: .session,
      "\(path) was not written by 'audiosession service install' and is left as it is", value: path,
      alternatives: ["look at it: systemctl --user cat audiosession"])
  }
}
