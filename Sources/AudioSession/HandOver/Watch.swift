import Glibc
import POSIX
import Pulse

/// Calls a handler when files of a folder change, or when a process ends.
///
/// The kernel wakes it; it uses no CPU time while nothing happens. The watch ends when its last
/// reference is released.
enum Watch {
  /// Watches the files of a folder: created by a rename, deleted, or closed after writing.
  ///
  /// Nil if the folder cannot be watched.
  static func folder(
    _ path: String, on loop: PulseLoop, _ handler: @escaping @Sendable (Set<String>) -> Void
  ) -> DescriptorWatch? {
    let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    guard descriptor >= 0 else { return nil }
    let mask = UInt32(IN_MOVED_TO | IN_DELETE | IN_CLOSE_WRITE)
    guard inotify_add_watch(descriptor, path, mask) >= 0 else {
      close(descriptor)
      return nil
    }
    return DescriptorWatch(descriptor, on: loop) {
      let names = names(in: descriptor)
      if !names.isEmpty { handler(names) }
    }
  }

  /// Watches for the end of a process, whether or not it is a child; nil if it has ended.
  static func process(
    _ id: Int32, on loop: PulseLoop, _ handler: @escaping @Sendable () -> Void
  ) -> DescriptorWatch? {
    processDescriptor(id).map { DescriptorWatch($0, on: loop, isOnce: true, handler) }
  }

  /// The file names of the events that wait to be read.
  static func names(in descriptor: Int32) -> Set<String> {
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
