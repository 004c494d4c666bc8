import Glibc
import Pulse
package import SessionCore

/// The time of day, as in the session's files and events.
enum Moment {
  /// The current time in ISO 8601, UTC, with milliseconds.
  static var now: String { text(after: .zero) }

  /// The time after a duration, likewise.
  static func text(after duration: Duration) -> String {
    let time = Int64(TimeOfDay.microseconds) + duration.microseconds
    var seconds = time_t(time / 1_000_000)
    var date = tm()
    gmtime_r(&seconds, &date)
    func digits(_ value: some BinaryInteger, _ count: Int = 2) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    let day = "\(digits(date.tm_year + 1900, 4))-\(digits(date.tm_mon + 1))-\(digits(date.tm_mday))"
    let clock = "\(digits(date.tm_hour)):\(digits(date.tm_min)):\(digits(date.tm_sec))"
    return "\(day)T\(clock).\(digits(time / 1000 % 1000, 3))Z"
  }
}

extension TimedEvent {
  /// An event that was noticed now.
  package static func now(_ event: SessionEvent) -> TimedEvent {
    TimedEvent(time: Moment.now, event: event)
  }
}
