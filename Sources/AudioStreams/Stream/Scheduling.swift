import CPulseStream
import Glibc
import POSIX

/// How an audio thread is scheduled.
///
/// The thread runs in realtime if it has the permission itself (`RLIMIT_RTPRIO`, `CAP_SYS_NICE`),
/// or if rtkit, the desktop's service for this, grants it. rtkit requires a lower `RLIMIT_RTTIME`
/// for the process (200 ms by default): the kernel then kills a program if one of its realtime
/// threads runs longer without a pause.
public enum Scheduling: Sendable, Hashable, CustomStringConvertible {
  /// Round robin at this priority: before all ordinary threads.
  case realtime(priority: Int)
  /// The same, granted by rtkit.
  case realtimeByRTKit(priority: Int)
  /// Like any other thread; the value is why neither the kernel nor rtkit granted more.
  case ordinary(String)

  init(_ scheduling: ps_scheduling) {
    let priority = Int(scheduling.priority)
    self =
      switch (scheduling.is_realtime, scheduling.by_rtkit) {
      case (true, false): .realtime(priority: priority)
      case (true, true): .realtimeByRTKit(priority: priority)
      case (false, _):
        .ordinary(
          "\(SystemError(scheduling.error)); \(Self.words(scheduling.rtkit_error))")
      }
  }

  /// What rtkit did.
  private static func words(_ error: Int32) -> String {
    switch error {
    case ENOSYS: "built without libdbus (package libdbus-1-dev), so rtkit was not asked"
    case EHOSTUNREACH: "rtkit does not answer (package rtkit)"
    case EPERM: "rtkit refused"
    default: "rtkit: \(SystemError(error))"
    }
  }

  /// `realtime, priority 5`, or `not realtime: Operation not permitted; rtkit refused`.
  public var description: String {
    switch self {
    case .realtime(let priority): "realtime, priority \(priority)"
    case .realtimeByRTKit(let priority): "realtime by rtkit, priority \(priority)"
    case .ordinary(let reason): "not realtime: \(reason)"
    }
  }
}
