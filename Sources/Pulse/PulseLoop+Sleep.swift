internal import CPulse
internal import PulseTypes

extension PulseLoop {
  /// Waits until a point in time, with the loop's own timer.
  ///
  /// A clock's `sleep` does the same, but on Linux it starts libdispatch's threads, the first of
  /// which wakes the program every second from then on.
  ///
  /// - Throws: if the task is cancelled before that time.
  public func sleep(
    until moment: ContinuousClock.Instant, isolation: isolated (any Actor)? = #isolation
  ) async throws(CancellationError) {
    guard thread.failure == nil else {
      do { return try await Task.sleep(until: moment) } catch { throw CancellationError() }
    }
    // An alarm is at most a day ahead, and may ring a moment early: the clock is read before and after.
    repeat {
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
    } while .now < moment
  }
}

/// One wait for a point in time.
final class Alarm: @unchecked Sendable {  // used on the loop's thread alone
  private let api: UnsafeMutablePointer<pa_mainloop_api>
  private var event: OpaquePointer?
  private var waiter: CheckedContinuation<Void, Never>?
  private var hasRung = false

  init(_ api: UnsafeMutablePointer<pa_mainloop_api>) { self.api = api }

  func begin(_ moment: ContinuousClock.Instant, _ continuation: CheckedContinuation<Void, Never>) {
    waiter = continuation
    // The task was cancelled before the wait began.
    guard !hasRung else { return ring() }
    var due = timeval()
    pa_gettimeofday(&due)
    // One day at most, so that no sum overflows.
    let left = min(max(.zero, moment - .now), .seconds(86_400))
    pa_timeval_add(&due, UInt64(left.microseconds) + 1)
    // Retained until the alarm rings.
    let userdata = Unmanaged.passRetained(self).toOpaque()
    event = api.pointee.time_new(api, &due, onAlarm, userdata)
  }

  /// Ends the wait; further calls have no effect.
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
