internal import CPulse
internal import Glibc

/// The event of a watch.
final class DescriptorSource: @unchecked Sendable {  // used on the loop's thread alone
  private let descriptor: Int32
  private let api: UnsafeMutablePointer<pa_mainloop_api>
  private let isOnce: Bool
  private let handler: @Sendable () -> Void
  private var event: OpaquePointer?

  init(
    _ descriptor: Int32, _ api: UnsafeMutablePointer<pa_mainloop_api>, isOnce: Bool,
    _ handler: @escaping @Sendable () -> Void
  ) {
    (self.descriptor, self.api, self.isOnce, self.handler) = (descriptor, api, isOnce, handler)
  }

  func begin() {
    // Not retained: the watch keeps the source alive until `end` has run.
    let userdata = Unmanaged.passUnretained(self).toOpaque()
    event = api.pointee.io_new(api, descriptor, PA_IO_EVENT_INPUT, onReadable, userdata)
  }

  func fire() {
    // Frees the event instead of masking it: a pidfd of an ended process reports HUP whatever the
    // mask is, and the loop would spin.
    if isOnce, let event {
      api.pointee.io_free(event)
      self.event = nil
    }
    handler()
  }

  func end() {
    if let event { api.pointee.io_free(event) }
    event = nil
    close(descriptor)
  }
}
