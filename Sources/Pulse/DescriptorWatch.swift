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
