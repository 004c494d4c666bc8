/// The calls of the operating system that the session's lock and files are made of.
///
/// One of the seams of the package: the shipped program has the system's own (`SystemCalls`), the
/// simulation a model whose content is volatile until it is synced. All that runs above it is the same.
package protocol FileCalls: Sendable {
  /// The process that makes the calls.
  var process: Int32 { get }

  /// Opens a file (`open`).
  func open(_ path: String, _ mode: FileMode) throws(FileError) -> Int32
  /// Reads a file from its beginning to its end, or a limit (`pread`): a link may lead to a device that has no
  /// end.
  func read(_ file: Int32, atMost limit: Int) throws(FileError) -> [UInt8]
  /// Writes over a file from its beginning (`pwrite`); what is longer keeps its end.
  func write(_ bytes: [UInt8], to file: Int32) throws(FileError)
  /// Waits until what was written is on the disk (`fsync`); for a folder, its names.
  func sync(_ file: Int32) throws(FileError)
  /// Closes a file (`close`), and gives its lock back; some systems tell only now that a write failed.
  func close(_ file: Int32) throws(FileError)
  /// Locks a file without waiting (`flock`); false if another has it.
  func lock(_ file: Int32, _ kind: LockKind) throws(FileError) -> Bool
  /// Gives a lock back (`flock`).
  func unlock(_ file: Int32)
  /// Gives a file another name, in the place of the one that has it (`rename`).
  func rename(_ path: String, to new: String) throws(FileError)
  /// Removes a file, if it is there (`unlink`).
  func unlink(_ path: String) throws(FileError)
  /// Whether a process runs; one that ended and was not yet waited for does not.
  func isRunning(_ process: Int32) -> Bool
}

/// What a file is opened for.
package enum FileMode: Sendable {
  /// To be read. Closing it tells watchers of its folder nothing.
  case reading
  /// To be written whole: made where it is not there, otherwise emptied.
  case replacing
  /// To be locked and signed: made where it is not there. Closing it tells watchers of its folder.
  case signing
  /// A folder, to be synced.
  case folder
}

/// How a file is locked.
package enum LockKind: Sendable {
  /// Beside others that do the same.
  case shared
  /// For one alone.
  case exclusive
}

/// A call that failed.
package struct FileError: Error, Hashable {
  /// What can be done about it.
  package enum Kind: Sendable {
    case missing, full, outOfDescriptors, unsupported, other
  }

  package var kind: Kind
  /// The system's words for it.
  package var reason: String

  package init(_ kind: Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }
}

extension FileError {
  /// The error as a user sees it.
  ///
  /// - Parameter verb: what failed, before the path.
  package func sessionError(_ verb: String, _ path: String) -> SessionError {
    let remedy =
      switch kind {
      case .outOfDescriptors: "raise the limit on open files (ulimit -n)"
      case .full: "make room there"
      case .missing, .unsupported, .other:
        "make it writable, or, where nothing is stored yet, set XDG_STATE_HOME to another folder"
      }
    return SessionError(
      .storeFailed, stage: .session, "cannot \(verb) \(path): \(reason); \(remedy)", value: path)
  }
}
