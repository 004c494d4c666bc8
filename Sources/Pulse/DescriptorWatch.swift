internal import CPulse
internal import Glibc

/// Calls a handler on a loop's thread when a descriptor has something to read.
///
/// While nothing comes nothing runs. It ends when it is dropped, and closes the descriptor then.
///
/// libpulse: `io_new` of `pa_mainloop_api`.
public final class DescriptorWatch: Sendable {
  private let loop: PulseLoop  // whose thread must be there to the end
  private let source: DescriptorSource

  /// Starts watching.
  ///
  /// - Parameters:
  ///   - descriptor: owned from now on.
  ///   - loop: on whose thread the handler is called, which must not block it.
  ///   - isOnce: whether it is called for the first time only; else it must read what is there, or
  ///     is called again at once.
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
    // Borrowed: the watch keeps it until `end` has run.
    let userdata = Unmanaged.passUnretained(self).toOpaque()
    event = api.pointee.io_new(api, descriptor, PA_IO_EVENT_INPUT, onReadable, userdata)
  }

  func fire() {
    // Freed, not masked: a process that has ended is told of whatever the event is asked for, and the
    // loop would run without a pause.
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
