internal import CPulse
public import PulseTypes

/// A stream without sound, which holds a device's latency or rate.
///
/// While it runs, a record stream drops its input, and a playback stream plays silence. It runs on
/// its client's loop and keeps the client alive. It ends with `close`, with its last reference,
/// with the connection, or when the server kills it.
///
/// Errors of every request: those of its client's, and `killed` if the server has ended the stream.
public actor PulseStream {
  /// The client that opened it.
  public nonisolated let client: PulseClient
  /// Input records, output plays silence.
  public nonisolated let direction: Direction
  /// Its index on the server (libpulse: `pa_stream_get_index`).
  public nonisolated let index: Index<PulseTypes.Stream>
  private nonisolated let handle: StreamHandle

  /// Runs the actor on its client's loop.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { client.unownedExecutor }

  init(_ client: PulseClient, _ handle: StreamHandle, _ index: UInt32) {
    self.client = client
    self.handle = handle
    self.index = Index(index)
    direction = handle.direction
  }

  deinit {
    // A deinit can run anywhere; the stream belongs to the loop's thread.
    handle.connection.thread.add(.call { [handle] in handle.close() })
  }

  /// Whether the stream exists; false after its end.
  public var isOpen: Bool { handle.state.isReady }

  /// The name of the device it is on now (libpulse: `pa_stream_get_device_name`).
  public var deviceName: String? { handle.stream.flatMap { text(pa_stream_get_device_name($0)) } }

  /// The device it is on now, as far as its client was notified (libpulse: `pa_stream_get_device_index`).
  package var deviceIndex: Index<Device>? {
    handle.stream.flatMap { Index(valid: pa_stream_get_device_index($0)) }
  }

  /// The granted spec (libpulse: `pa_stream_get_sample_spec`).
  public var sampleSpec: SampleSpec? {
    handle.stream.flatMap { pa_stream_get_sample_spec($0) }.map { SampleSpec($0.pointee) }
  }

  /// The device's latency according to the granted sizes (libpulse: `pa_stream_get_buffer_attr`).
  public var grantedLatency: Duration? {
    guard let sampleSpec, let sizes = handle.stream.flatMap({ pa_stream_get_buffer_attr($0) })
    else { return nil }
    return sizes.pointee.grantedLatency(direction, sampleSpec)
  }

  /// Whether it is paused (libpulse: `pa_stream_is_corked`).
  public var isCorked: Bool { handle.stream.map { pa_stream_is_corked($0) > 0 } ?? true }

  /// Reads how far it has come on the server, in frames since its creation: recorded, or played (libpulse:
  /// `pa_stream_update_timing_info`). On PipeWire it grows by one cycle of the graph at a time.
  ///
  /// Errors: those of every request (see `PulseStream`).
  public func position(timeout: Duration? = nil) async throws(PulseError) -> Int64 {
    try await handle.request("get_timing_info of", timeout: timeout) {
      pa_stream_update_timing_info($0, onSuccess, $1)
    }
    guard let stream = handle.stream, let timing = pa_stream_get_timing_info(stream)?.pointee,
      let spec = pa_stream_get_sample_spec(stream)
    else { throw PulseError(.other, "get_timing_info of \(handle.words)") }
    let bytes = direction == .input ? timing.write_index : timing.read_index
    return bytes / Int64(max(1, pa_frame_size(spec)))
  }

  /// Pauses or resumes it (libpulse: `pa_stream_cork`).
  ///
  /// Errors: those of every request (see `PulseStream`).
  public func cork(_ isCorked: Bool, timeout: Duration? = nil) async throws(PulseError) {
    try await handle.request(isCorked ? "cork" : "uncork", timeout: timeout) {
      pa_stream_cork($0, isCorked ? 1 : 0, onSuccess, $1)
    }
  }

  /// Adds or replaces properties of the stream, which other clients see (libpulse:
  /// `pa_stream_proplist_update`).
  ///
  /// Errors: those of every request (see `PulseStream`); `invalidArgument` for a key or a value that
  /// cannot be one.
  public func updateProperties(
    _ properties: [String: String], timeout: Duration? = nil
  ) async throws(PulseError) {
    // In the request an error would be taken for the connection's last one.
    try withPropertyList(properties, for: "proplist_update") { _ in }
    try await handle.request("proplist_update of", timeout: timeout) { stream, context in
      try? withPropertyList(properties, for: "proplist_update") { list -> OpaquePointer? in
        pa_stream_proplist_update(stream, PA_UPDATE_REPLACE, list, onSuccess, context)
      }
    }
  }

  /// Requests another latency of the device, like `StreamOptions.latency` (libpulse:
  /// `pa_stream_set_buffer_attr`). Of a stream that was opened without a latency only the buffer in the
  /// server changes.
  ///
  /// Errors: those of every request (see `PulseStream`).
  public func setLatency(_ latency: Duration, timeout: Duration? = nil) async throws(PulseError) {
    guard let sampleSpec else { return try await cork(isCorked, timeout: timeout) }
    var sizes = pa_buffer_attr(deviceLatency: latency, direction, sampleSpec)
    try await handle.request("set_buffer_attr of", timeout: timeout) {
      pa_stream_set_buffer_attr($0, &sizes, onSuccess, $1)
    }
  }

  /// Sets the handler that is called once, on the loop's thread, when the stream ends.
  ///
  /// The error's code is `killed` if the server ended it, `disconnected` if the connection was
  /// lost, `closed` after `close`. If the stream has ended already, the handler is called before
  /// this returns.
  public func setEndHandler(_ handler: (@Sendable (PulseError) -> Void)?) {
    if case .ended(let error) = handle.state {
      handler?(error)
    } else {
      handle.endHandler = handler
    }
  }

  /// Sets the handler that is called once, on the loop's thread, when a record stream gets data.
  public func setDataHandler(_ handler: (@Sendable () -> Void)?) { handle.dataHandler = handler }

  /// Ends the stream; may be called repeatedly (libpulse: `pa_stream_disconnect`).
  public func close() { handle.close() }
}

extension PulseClient {
  /// Opens a stream and waits until the server has created it.
  ///
  /// On pipewire-pulse, a source name that does not exist selects the default device: compare
  /// `deviceName`. Throws `noSuchEntity` for such a name on PulseAudio, `timedOut` if the session
  /// manager does not run, `invalidArgument` for an invalid spec or map.
  ///
  /// libpulse: `pa_stream_connect_record`, `pa_stream_connect_playback`.
  public func openStream(
    _ options: StreamOptions, timeout: Duration? = nil
  ) async throws(PulseError) -> PulseStream {
    let handle = StreamHandle(connection, options)
    let end = ContinuousClock.now + (timeout ?? connection.requestTimeout)
    let opening = try handle.open(options, timeout: timeout)
    do throws(PulseError) {
      try await opening.value()
    } catch {
      handle.end(error)
      throw error
    }
    // The stream may have ended between its creation and this line.
    guard let native = handle.stream else { throw connection.abandonment { "open" } }
    let stream = PulseStream(self, handle, pa_stream_get_index(native))
    // The sizes are bytes of the *requested* spec; if the server chose another, they are requested
    // again.
    if let latency = options.latency, await stream.sampleSpec != options.spec {
      try await stream.setLatency(latency, timeout: max(.zero, end - .now))
    }
    return stream
  }
}
