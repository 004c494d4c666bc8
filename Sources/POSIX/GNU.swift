internal import Glibc

/// Functions of glibc that its headers declare only under _GNU_SOURCE, which Swift's Glibc module
/// does not define, or in a header that is no part of it. Looked up by name: nil on a glibc that is
/// older than the function.
enum GNU {
  static let pipe2 = function(
    "pipe2", as: (@convention(c) @Sendable (UnsafeMutablePointer<Int32>, Int32) -> Int32).self)

  static let openProcess = function(
    "pidfd_open", as: (@convention(c) @Sendable (pid_t, UInt32) -> Int32).self)

  static let makeTimer = function(
    "timerfd_create", as: (@convention(c) @Sendable (clockid_t, Int32) -> Int32).self)

  static let setTimer = function(
    "timerfd_settime",
    as: (@convention(c) @Sendable (
      Int32, Int32, UnsafePointer<itimerspec>, UnsafeMutablePointer<itimerspec>?
    ) -> Int32).self)

  static let attribute = function(
    "getxattr",
    as: (@convention(c) @Sendable (
      UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int
    ) -> Int).self)

  static let addCloseFrom = function(
    "posix_spawn_file_actions_addclosefrom_np",
    as: (@convention(c) @Sendable (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) ->
      Int32).self)

  /// POSIX_SPAWN_SETSID, hidden by the same macro; a constant of the ABI.
  static let spawnInNewSession: Int32 = 0x80

  private static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
    dlsym(nil, name).map { unsafeBitCast($0, to: type) }
  }
}

/// A descriptor that becomes readable when a process has ended; nil if there is no such process.
package func processDescriptor(_ process: Int32) -> Int32? {
  GNU.openProcess.map { $0(process, 0) }.flatMap { $0 >= 0 ? $0 : nil }
}

/// A descriptor that becomes readable when the wall clock is set, as the kernel does when the machine
/// wakes up; nil if the system has none. `awaitNextClockChange` makes it unreadable again.
package func clockDescriptor() -> Int32? {
  // TFD_CLOEXEC and TFD_NONBLOCK have these values.
  guard let descriptor = GNU.makeTimer?(CLOCK_REALTIME, O_CLOEXEC | O_NONBLOCK), descriptor >= 0
  else { return nil }
  awaitNextClockChange(descriptor)
  return descriptor
}

/// Arms a clock's descriptor for the next change.
package func awaitNextClockChange(_ descriptor: Int32) {
  // TFD_TIMER_ABSTIME and TFD_TIMER_CANCEL_ON_SET, for a time that does not come.
  let never = itimerspec(it_interval: timespec(), it_value: timespec(tv_sec: .max / 2, tv_nsec: 0))
  withUnsafePointer(to: never) { _ = GNU.setTimer?(descriptor, 1 | 2, $0, nil) }
}
