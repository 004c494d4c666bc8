import Pulse

/// The events between the subscription and the first snapshot.
///
/// Used only on the loop's thread: by the handler, then by `LiveServer`, which shares it.
final class EarlyEvents: @unchecked Sendable {  // only ever touched on the loop's thread
  private var events: [PulseEvent] = []

  func note(_ event: PulseEvent) { events.append(event) }

  func take() -> [PulseEvent] {
    defer { events = [] }
    return events
  }
}
