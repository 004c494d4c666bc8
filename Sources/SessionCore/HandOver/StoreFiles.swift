/// The files of one server's session: what is written in which order, and what is on the disk by then.
package struct StoreFiles: Sendable {
  /// A file, by the ending of its name.
  package enum File: String, Sendable {
    case mode = "wish.toml"
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

  /// - Parameter server: what the names of the files begin with.
  package init(folder: String, server: String, calls: any FileCalls) {
    self.folder = folder
    self.server = server
    self.calls = calls
  }

  package func name(_ file: File) -> String { server + "." + file.rawValue }

  package func path(_ file: File) -> String { folder + "/" + name(file) }

  /// The content of a file; nil if there is none.
  package func read(_ file: File) throws(SessionError) -> [UInt8]? {
    do throws(FileError) {
      return try calls.content(of: path(file))
    } catch {
      throw error.sessionError("read", path(file))
    }
  }

  /// Replaces a file, or removes it.
  ///
  /// - Parameter isSynced: whether a power cut leaves the old content or the new, and nothing else.
  package func write(
    _ bytes: [UInt8]?, to file: File, isSynced: Bool = false
  ) throws(SessionError) {
    do throws(FileError) {
      if let bytes {
        try calls.replace(path(file), with: bytes, isSynced: isSynced)
      } else {
        try calls.unlink(path(file))
      }
    } catch {
      throw error.sessionError(bytes == nil ? "remove" : "write", path(file))
    }
  }

  /// Stores the baseline, on the disk when this returns: the server may be changed then.
  package func protect(_ baseline: [UInt8]?) throws(SessionError) {
    try write(baseline, to: .baseline, isSynced: true)
    try syncNames()
  }

  /// Stores the mode, on the disk when this returns; where that fails the former one is stored.
  package func commit(_ mode: [UInt8]?) throws(SessionError) {
    let former = try? read(.mode)
    try write(mode, to: .mode, isSynced: true)
    do throws(SessionError) {
      try syncNames()
    } catch {
      // It counts as not stored, and must not come back.
      try? write(former ?? nil, to: .mode, isSynced: true)
      throw error
    }
  }

  private func syncNames() throws(SessionError) {
    do throws(FileError) {
      try calls.syncFolder(folder)
    } catch {
      throw error.sessionError("sync", folder)
    }
  }

  /// Gives a damaged file another name; only ever called with the lock held.
  ///
  /// A file that cannot be read at all is not known to be damaged, and stays.
  ///
  /// - Parameter damage: what is wrong with a content; nil if nothing is.
  /// - Returns: what was found, and where it is now.
  package func setAside(_ file: File, damage: ([UInt8]) -> SessionError?) -> String? {
    guard let bytes = (try? read(file)) ?? nil, let error = damage(bytes) else { return nil }
    let aside = path(file) + ".damaged"
    do throws(FileError) {
      try calls.rename(path(file), to: aside)
      return "\(error.message); it is now \(aside)"
    } catch {
      return "\(error.sessionError("rename", path(file)).message)"
    }
  }
}
