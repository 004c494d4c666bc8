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
    FolderWatch.descriptor(of: path, for: .content).map { descriptor in
      DescriptorWatch(descriptor, on: loop) {
        let names = FolderWatch.names(in: descriptor)
        if !names.isEmpty { handler(names) }
      }
    }
  }

  /// Watches for the end of a process, whether or not it is a child; nil if it has ended.
  static func process(
    _ id: Int32, on loop: PulseLoop, _ handler: @escaping @Sendable () -> Void
  ) -> DescriptorWatch? {
    processDescriptor(id).map { DescriptorWatch($0, on: loop, isOnce: true, handler) }
  }
}
