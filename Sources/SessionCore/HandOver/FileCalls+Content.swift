extension FileCalls {
  private var longest: Int { 64 << 20 }

  /// The contents of a file; nil if it does not exist.
  package func content(of path: String) throws(FileError) -> [UInt8]? {
    do throws(FileError) {
      let file = try open(path, .reading)
      defer { try? close(file) }
      let bytes = try read(file, atMost: longest)
      guard bytes.count < longest else { throw FileError(.other, "it is too long") }
      return bytes
    } catch {
      if error.kind == .missing { return nil }
      throw error
    }
  }

  /// Replaces a file: a reader finds the old content or the new, never a part.
  ///
  /// Only ever called with a lock held, so one name will do for the new file, and one that a killed
  /// process left is used again.
  ///
  /// - Parameter isSynced: whether the new content is on the disk before it takes the place of the old: a
  ///   power cut leaves the old or the new, and never an empty file. Which one is only certain after
  ///   `syncFolder`.
  package func replace(
    _ path: String, with bytes: [UInt8], isSynced: Bool = false
  ) throws(FileError) {
    let new = path + ".new"
    do throws(FileError) {
      let file = try open(new, .replacing)
      do throws(FileError) {
        try write(bytes, to: file)
        if isSynced { try sync(file) }
      } catch {
        try? close(file)
        throw error
      }
      try close(file)
      try rename(new, to: path)
    } catch {
      try? unlink(new)
      throw error
    }
  }

  /// Waits until the names of a folder's files are on the disk.
  package func syncFolder(_ path: String) throws(FileError) {
    do throws(FileError) {
      let folder = try open(path, .folder)
      defer { try? close(folder) }
      try sync(folder)
    } catch {
      // Some file systems cannot, and need not.
      if error.kind != .unsupported { throw error }
    }
  }
}
