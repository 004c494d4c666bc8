internal import Glibc

/// Reports what happens to the names in a folder (inotify); nothing runs while nothing happens.
package enum FolderWatch {
  package enum Change: Sendable {
    /// A name appears, or its permissions change, as those of a socket do when its server is ready.
    case appearing
    /// A file is replaced by a rename, closed after writing, or deleted.
    case content

    fileprivate var mask: UInt32 {
      switch self {
      case .appearing: UInt32(IN_CREATE | IN_MOVED_TO | IN_ATTRIB)
      case .content: UInt32(IN_MOVED_TO | IN_DELETE | IN_CLOSE_WRITE)
      }
    }
  }

  /// A descriptor that becomes readable with each change, which `names(in:)` reads; nil if the folder
  /// cannot be watched. A user may have only so many of them (128 by default).
  package static func descriptor(of folder: String, for change: Change) -> Int32? {
    let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    guard descriptor >= 0 else { return nil }
    guard inotify_add_watch(descriptor, folder, change.mask) >= 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// The names of the changes that wait to be read.
  package static func names(in descriptor: Int32) -> Set<String> {
    var result: Set<String> = []
    var buffer = [UInt8](repeating: 0, count: 16384)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return result }
      var at = 0
      // struct inotify_event: four 32-bit fields, the last of them the length of the name.
      while at + 16 <= count {
        let length = buffer[(at + 12)..<(at + 16)].reversed().reduce(0) { $0 << 8 | Int($1) }
        let name = buffer[(at + 16)..<min(at + 16 + length, count)].prefix { $0 != 0 }
        result.insert(String(decoding: name, as: UTF8.self))
        at += 16 + length
      }
    }
  }
}
