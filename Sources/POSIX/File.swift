package import Glibc

/// Files by their paths.
package enum File {
  /// Whether a file exists, readable or not.
  package static func exists(_ path: String) -> Bool {
    !path.utf8.contains(0) && access(path, F_OK) == 0
  }

  /// Whether a file or a link is there; throws if that cannot be found out.
  package static func isThere(_ path: String) throws(SystemError) -> Bool {
    var status = stat()
    guard !path.utf8.contains(0) else { return false }
    if lstat(path, &status) == 0 { return true }
    let error = SystemError.last
    guard error.isOfMissingFile else { throw error }
    return false
  }

  /// The status of a file, of a link's target; nil if it has none.
  package static func status(_ path: String) -> stat? {
    var status = stat()
    return !path.utf8.contains(0) && stat(path, &status) == 0 ? status : nil
  }

  /// Whether it has a list of further users who may use it (`setfacl`); nil if that is not known.
  package static func hasAccessList(_ path: String) -> Bool? {
    guard !path.utf8.contains(0), let attribute = GNU.attribute else { return nil }
    if attribute(path, "system.posix_acl_access", nil, 0) >= 0 { return true }
    switch errno {
    case ENODATA, ENOTSUP: return false
    default: return nil
    }
  }

  /// Whether it is a regular file that this user may run.
  package static func isProgram(_ path: String) -> Bool {
    status(path)?.isRegular == true && access(path, X_OK) == 0
  }

  /// The file that a shell would run for a name, given the value of `PATH`.
  package static func program(_ name: String, path: String) -> String? {
    if name.contains("/") { return isProgram(name) ? name : nil }
    guard !name.isEmpty else { return nil }
    return path.split(separator: ":").lazy.map { "\($0)/\(name)" }.first(where: isProgram)
  }

  /// An absolute path without links, `.` and `..`; nil if it does not exist.
  package static func real(_ path: String) -> String? {
    guard !path.utf8.contains(0), let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// The target of a link; nil if it is none.
  package static func link(_ path: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      let count = readlink(path, buffer.baseAddress!, buffer.count)
      guard count >= 0 else { return nil }
      return String(decoding: buffer[..<count].lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }

  /// The path that links lead to, whether or not a file is there; the path itself if they lead in a
  /// circle.
  package static func target(_ path: String) -> String {
    var target = path
    // The kernel follows no more either.
    for _ in 0...40 {
      guard let next = link(target) else { return target }
      let folder = target.lastIndex(of: "/").map { String(target[...$0]) } ?? ""
      target = next.hasPrefix("/") ? next : folder + next
    }
    return path
  }

  package static var program: String { link("/proc/self/exe") ?? "" }

  package static var programFolder: String {
    program.lastIndex(of: "/").map { String(program[..<$0]) } ?? ""
  }

  /// The longest file that is read: a link may lead to a device without an end.
  package static let longest = 64 << 20

  /// The contents of a file, up to a number of bytes.
  ///
  /// It does not wait for the writer of a pipe.
  package static func bytes(
    of path: String, atMost limit: Int = longest
  ) throws(SystemError) -> [UInt8] {
    let file = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK)
    return try readAll(atMost: limit) { start, room, _ in read(file.raw, start, room) }
  }

  /// The contents of a file as text; empty if it cannot be read.
  package static func text(_ path: String, atMost limit: Int = longest) -> String {
    String(decoding: (try? bytes(of: path, atMost: limit)) ?? [], as: UTF8.self)
  }

  /// Writes a file in its place: creates or empties it.
  package static func write(
    _ bytes: some Collection<UInt8>, to path: String, mode: mode_t = 0o666
  ) throws(SystemError) {
    try Descriptor(opening: path, O_WRONLY | O_CREAT | O_TRUNC, mode: mode).write(bytes)
  }

  /// Replaces a file: a reader finds the old content or the new, never a part.
  ///
  /// The new content is written to a separate new file: what a killed run left of it is removed first, and
  /// a link in its place is not followed.
  ///
  /// - Parameters:
  ///   - mode: the permissions of the new file, less the process's mask.
  ///   - keepsMode: whether it has the permissions of the old file, if there is one.
  ///   - isSynced: whether the content is on the disk before it takes the place of the old.
  package static func replace(
    _ path: String, with bytes: some Collection<UInt8>, by draft: String, mode: mode_t,
    keepsMode: Bool = false, isSynced: Bool = false
  ) throws(SystemError) {
    let old = keepsMode ? status(path) : nil
    let kept = old.map { $0.st_mode & 0o777 }
    unlink(draft)
    do throws(SystemError) {
      let file = try Descriptor(
        opening: draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: kept ?? mode)
      // The administrator writes a file of its user. (Others may not give files away.)
      if let old, old.st_uid != geteuid() { _ = fchown(file.raw, old.st_uid, old.st_gid) }
      // The mask applies to new files only. A file system without permissions refuses.
      if let kept { fchmod(file.raw, kept) }
      try file.write(bytes)
      if isSynced { try retrying { fsync(file.raw) } }
      try file.close()
      try retrying { rename(draft, path) }
    } catch {
      unlink(draft)
      throw error
    }
    guard isSynced else { return }
    // Its name, too. Some file systems cannot.
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    if let folder = try? Descriptor(opening: folder, O_RDONLY | O_DIRECTORY) { fsync(folder.raw) }
  }
}

extension stat {
  package var isRegular: Bool { st_mode & S_IFMT == S_IFREG }
  package var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
  package var isPipe: Bool { st_mode & S_IFMT == S_IFIFO }
}
