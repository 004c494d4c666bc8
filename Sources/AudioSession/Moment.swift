import FoundationEssentials
public import SessionCore

/// The time of day, as the session's files and events have it.
enum Moment {
  /// Now, as ISO 8601 has it, in UTC with milliseconds.
  static var now: String {
    Date.now.formatted(
      .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(
        separator: .omitted))
  }
}

extension TimedEvent {
  /// An event that was noticed now.
  public static func now(_ event: SessionEvent) -> TimedEvent {
    TimedEvent(time: Moment.now, event: event)
  }
}
