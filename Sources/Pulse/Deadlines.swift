internal import CPulse
internal import PulseTypes

/// One timer for all requests of a connection, armed for the earliest deadline.
///
/// Requests usually have the same timeout, so a new one rarely has an earlier deadline than the
/// armed one: a request costs one comparison, and the timer fires at most once per timeout.
struct Deadlines {
  private var timer: OpaquePointer?
  private var armedFor = UInt64.max
  private var isInGrace = false

  static func deadline(in timeout: Duration) -> UInt64 {
    let now = pa_rtclock_now()
    let (sum, overflow) = now.addingReportingOverflow(UInt64(max(0, timeout.microseconds)))
    return overflow ? .max - 1 : sum
  }

  mutating func arm(_ deadline: UInt64, _ context: OpaquePointer, _ connection: Connection) {
    // A wait of more than 24 days does not fit into the milliseconds of `poll`, with which libpulse waits
    // while it connects.
    let deadline = min(deadline, pa_rtclock_now() + 86_400_000_000)
    guard deadline < armedFor else { return }
    armedFor = deadline
    if let timer {
      pa_context_rttime_restart(context, timer, deadline)
    } else {
      // Not retained: the connection frees the timer before its own end.
      let userdata = Unmanaged.passUnretained(connection).toOpaque()
      timer = pa_context_rttime_new(context, deadline, onDeadline, userdata)
    }
  }

  /// Notes that the timer fired; it fires only once. True if this process was late, once in a row: answers
  /// that came in the meantime are read only after the timers.
  mutating func fired(at now: UInt64) -> Bool {
    isInGrace = !isInGrace && armedFor < .max && now > armedFor + 50_000
    armedFor = .max
    return isInGrace
  }

  mutating func free(_ api: UnsafeMutablePointer<pa_mainloop_api>) {
    if let timer { api.pointee.time_free(timer) }
    timer = nil
    armedFor = .max
  }
}
