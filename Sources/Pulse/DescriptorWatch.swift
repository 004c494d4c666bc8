internal import CPulse
internal import Glibc

/// Calls a handler on a loop's thread when a descriptor has something to read.
///
/// Uses no CPU time while nothing arrives. The watch ends when its last reference is released, and
/// then closes the descriptor.
///
/// libpulse: `io_new` of `pa_mainloop_api`.
public final class DescriptorWatch: Sendable {
  private let loop: PulseLoop  // keeps the loop's thread alive
  private let source: DescriptorSource

  /// Starts watching.
  ///
  /// - Parameters:
  ///   - descriptor: the file descriptor to watch; the watch owns it from now on.
  ///   - loop: the loop on whose thread the handler runs. The handler must not block.
  ///   - isOnce: whether to call the handler only the first time. Otherwise the handler must read
  ///     everything, or is called again at once.
  public init(
    _ descriptor: Int32, on loop: PulseLoop, isOnce: Bool = false,
    _ handler: @escaping @Sendable () -> Void
  ) {
    self.loop = loop
    let source = DescriptorSource(descriptor, loop.thread.api, isOnce: isOnce, handler)
    self.source = source
    loop.thread.add(.call { source.begin() })
  }

  deinit { loop.thread.add(.call { [source] in source.end() }) }
}

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
