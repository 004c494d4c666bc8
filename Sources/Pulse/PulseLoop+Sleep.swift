internal import CPulse
internal import PulseTypes

extension PulseLoop {
  /// Waits until a moment, on the loop's own timer.
  ///
  /// A clock's `sleep` does the same; but on Linux it starts libdispatch's threads, and with the
  /// first of them a timer that wakes the program every second from then on.
  ///
  /// - Throws: when the task is cancelled before.
  public func sleep(
    until moment: ContinuousClock.Instant, isolation: isolated (any Actor)? = #isolation
  ) async throws(CancellationError) {
    let alarm = Alarm(thread.api)
    await withTaskCancellationHandler {
      // Only a closure that captures the isolated parameter is isolated.
      _ = isolation
      await thread.suspend { continuation in
        thread.add(.call { alarm.begin(moment, continuation) })
      }
    } onCancel: {
      thread.add(.call { alarm.ring() })
    }
    if Task.isCancelled { throw CancellationError() }
  }
}

/// One wait for a moment.
final class Alarm: @unchecked Sendable {  // used on the loop's thread alone
  private let api: UnsafeMutablePointer<pa_mainloop_api>
  private var event: OpaquePointer?
  private var waiter: CheckedContinuation<Void, Never>?
  private var hasRung = false

  init(_ api: UnsafeMutablePointer<pa_mainloop_api>) { self.api = api }

  func begin(_ moment: ContinuousClock.Instant, _ continuation: CheckedContinuation<Void, Never>) {
    waiter = continuation
    // Cancelled before it began.
    guard !hasRung else { return ring() }
    var due = timeval()
    pa_gettimeofday(&due)
    // A day at most: nobody waits longer, and no sum overflows.
    let left = min(max(.zero, moment - .now), .seconds(86_400))
    pa_timeval_add(&due, UInt64(left.microseconds))
    // Retained until it has rung.
    let userdata = Unmanaged.passRetained(self).toOpaque()
    event = api.pointee.time_new(api, &due, onAlarm, userdata)
  }

  /// Ends the wait; the second time nothing.
  func ring() {
    hasRung = true
    if let event {
      api.pointee.time_free(event)
      Unmanaged.passUnretained(self).release()  // retained by `begin`
    }
    event = nil
    waiter?.resume()
    waiter = nil
  }
}
