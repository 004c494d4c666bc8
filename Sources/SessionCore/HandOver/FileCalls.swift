/// The operating system's calls for the session's lock and files.
///
/// One of the seams of the package: the shipped program uses the system's calls (`SystemCalls`),
/// the simulation a model whose contents are volatile until they are synced. Everything above it is
/// the same.
package protocol FileCalls: Sendable {
  /// The process that makes the calls.
  var process: Int32 { get }

  /// Opens a file (`open`).
  func open(_ path: String, _ mode: FileMode) throws(FileError) -> Int32
  /// Reads a file from its beginning to its end or a limit (`pread`): a link may lead to a device
  /// without an end.
  func read(_ file: Int32, atMost limit: Int) throws(FileError) -> [UInt8]
  /// Overwrites a file from its beginning (`pwrite`); a longer file keeps its end.
  func write(_ bytes: [UInt8], to file: Int32) throws(FileError)
  /// Waits until the written data is on the disk (`fsync`); for a folder, its names.
  func sync(_ file: Int32) throws(FileError)
  /// Closes a file (`close`), and releases its lock; some systems report a failed write only here.
  func close(_ file: Int32) throws(FileError)
  /// Locks a file without waiting (`flock`); false if another process has the lock.
  func lock(_ file: Int32, _ kind: LockKind) throws(FileError) -> Bool
  /// Releases a lock (`flock`).
  func unlock(_ file: Int32)
  /// Renames a file, and replaces a file with the new name (`rename`).
  func rename(_ path: String, to new: String) throws(FileError)
  /// Removes a file, if it exists (`unlink`).
  func unlink(_ path: String) throws(FileError)
  /// Whether a process runs; a zombie does not.
  func isRunning(_ process: Int32) -> Bool
}

/// The purpose of opening a file.
package enum FileMode: Sendable {
  /// For reading. Closing it does not notify watchers of its folder.
  case reading
  /// For writing the whole file: creates or empties it.
  case replacing
  /// For locking and signing: creates it if needed. Closing it notifies watchers of its folder.
  case signing
  /// A folder, for syncing.
  case folder
}

package enum LockKind: Sendable {
  case shared
  case exclusive
}
