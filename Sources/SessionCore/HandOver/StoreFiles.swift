/// The files of one server's session: in which order they are written, and what is then on the
/// disk.
package struct StoreFiles: Sendable {
  /// A file, by the suffix of its name.
  package enum File: String, Sendable {
    case mode = "mode.toml"
    case baseline = "baseline.json"
    case status = "status.json"
    case order = "order.toml"
    case answer = "answer.json"
    case lock = "lock"
    case orderLock = "order.lock"
  }

  package let folder: String
  package let server: String
  package let calls: any FileCalls

  /// - Parameter server: the prefix of the files' names.
  package init(folder: String, server: String, calls: any FileCalls) {
    self.folder = folder
    self.server = server
    self.calls = calls
  }

  package func name(_ file: File) -> String { server + "." + file.rawValue }

  package func path(_ file: File) -> String { folder + "/" + name(file) }

  /// The contents of a file; nil if it does not exist.
  package func read(_ file: File) throws(SessionError) -> [UInt8]? {
    let path = path(file)
    return try perform("read", path, try calls.content(of: path))
  }

  /// The result of calls on a file, or why they failed.
  ///
  /// - Parameter verb: what failed, before the path.
  private func perform<Result>(
    _ verb: String, _ path: String, _ calls: @autoclosure () throws(FileError) -> Result
  ) throws(SessionError) -> Result {
    do throws(FileError) {
      return try calls()
    } catch {
      throw error.sessionError(verb, path)
    }
  }

  /// Replaces a file, or removes it.
  ///
  /// - Parameter isSynced: whether a power cut leaves either the old or the new contents, and
  ///   nothing else.
  package func write(
    _ bytes: [UInt8]?, to file: File, isSynced: Bool = false
  ) throws(SessionError) {
    let path = path(file)
    guard let bytes else { return try perform("remove", path, try calls.unlink(path)) }
    try perform("write", path, try calls.replace(path, with: bytes, isSynced: isSynced))
  }

  /// Stores the baseline, on the disk when this returns: the server may be changed afterwards.
  package func protect(_ baseline: [UInt8]?) throws(SessionError) {
    try write(baseline, to: .baseline, isSynced: true)
    try syncNames()
  }

  /// Stores the mode, on the disk when this returns; if that fails, stores the former one.
  package func commit(_ mode: [UInt8]?) throws(SessionError) {
    let former = try? read(.mode)
    try write(mode, to: .mode, isSynced: true)
    do throws(SessionError) {
      try syncNames()
    } catch {
      // The mode counts as not stored, and must not reappear.
      try? write(former ?? nil, to: .mode, isSynced: true)
      throw error
    }
  }

  private func syncNames() throws(SessionError) {
    try perform("sync", folder, try calls.syncFolder(folder))
  }

  /// Where a damaged file is set aside.
  package func asidePath(_ file: File) -> String { path(file) + ".damaged" }

  /// Where a damaged mode remains once another one, or its end, was stored; a damaged baseline once a mode
  /// has ended.
  private func formerDamagePath(_ file: File) -> String { asidePath(file) + ".old" }

  /// Notes that it is known again which mode is in effect: renames a mode that was set aside, if that is
  /// possible.
  package func endDamage() { try? calls.rename(asidePath(.mode), to: formerDamagePath(.mode)) }

  /// Notes that a mode has ended whose baseline was set aside: renames that once more, if there is one.
  ///
  /// - Returns: the file's name before it was damaged, and now; nil without one.
  package func endLostBaseline() -> (path: String, kept: String)? {
    let kept = formerDamagePath(.baseline)
    do throws(FileError) { try calls.rename(asidePath(.baseline), to: kept) } catch { return nil }
    return (path(.baseline), kept)
  }

  /// Renames a damaged file. Call it only with the lock held.
  ///
  /// A file that cannot be read at all is not known to be damaged, and stays.
  ///
  /// - Parameter parse: throws if the contents are damaged.
  /// - Returns: what was damaged, and the file's new name.
  package func setAside<Content>(
    _ file: File, parse: ([UInt8]) throws(SessionError) -> Content
  ) -> String? {
    guard let bytes = (try? read(file)) ?? nil else { return nil }
    do throws(SessionError) { _ = try parse(bytes) } catch {
      let damage = error
      let aside = asidePath(file)
      do throws(FileError) {
        try calls.rename(path(file), to: aside)
        let moment = file == .mode ? "a change is stored" : "a 'revert' has ended the session"
        return "\(damage.message); it is now \(aside) (\(formerDamagePath(file)) once \(moment))"
      } catch {
        return "\(error.sessionError("rename", path(file)).message)"
      }
    }
    return nil
  }
}
