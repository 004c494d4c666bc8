internal import CPulse
public import PulseTypes

/// Something that happened to a stream.
public enum StreamChange: String, Sendable, Hashable {
  /// It is on another device now (libpulse: `pa_stream_set_moved_callback`).
  case moved
  /// Its device was suspended.
  case suspended
  /// Its device runs again.
  case resumed
  /// The server changed the buffers (libpulse: `pa_stream_set_buffer_attr_callback`).
  case bufferAttributes
  /// Something more important plays: pause (libpulse: `PA_STREAM_EVENT_REQUEST_CORK`).
  case corkRequested
  /// The more important thing is over (libpulse: `PA_STREAM_EVENT_REQUEST_UNCORK`).
  case uncorkRequested
}

/// A stream that carries no sound: it holds a device's latency or rate where they should be.
///
/// Running, a record stream drops what it gets, and a playback stream plays silence. It runs on its
/// client's loop, keeps the client alive, and ends with `close`, with its last reference, with the
/// connection, or when the server kills it.
public actor PulseStream {
  /// The client that opened it.
  public nonisolated let client: PulseClient
  /// Input records, output plays silence.
  public nonisolated let direction: Direction
  /// Its number on the server (libpulse: `pa_stream_get_index`).
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

  /// Whether the stream is there; false after its end.
  public var isOpen: Bool { if case .ready = handle.state { true } else { false } }

  /// The device it is on now (libpulse: `pa_stream_get_device_name`).
  public var deviceName: String? { handle.stream.flatMap { text(pa_stream_get_device_name($0)) } }

  /// The number of the device it is on now (libpulse: `pa_stream_get_device_index`).
  public var deviceIndex: Index<Device>? {
    handle.stream.flatMap { Index(valid: pa_stream_get_device_index($0)) }
  }

  /// The granted spec (libpulse: `pa_stream_get_sample_spec`).
  public var sampleSpec: SampleSpec? {
    handle.stream.flatMap { pa_stream_get_sample_spec($0) }.map { SampleSpec($0.pointee) }
  }

  /// The granted sizes, in bytes (libpulse: `pa_stream_get_buffer_attr`).
  public var bufferAttributes: BufferAttributes? {
    handle.stream.flatMap { pa_stream_get_buffer_attr($0) }.map { attributes in
      BufferAttributes(
        maxLength: attributes.pointee.maxlength, targetLength: attributes.pointee.tlength,
        prebuffer: attributes.pointee.prebuf, minimumRequest: attributes.pointee.minreq,
        fragmentSize: attributes.pointee.fragsize)
    }
  }

  /// The latency that the granted sizes give the device; means nothing with `earlyRequests`.
  public var grantedLatency: Duration? {
    guard let sampleSpec else { return nil }
    return bufferAttributes?.grantedLatency(direction, sampleSpec)
  }

  /// Whether it is paused (libpulse: `pa_stream_is_corked`).
  public var isCorked: Bool { handle.stream.map { pa_stream_is_corked($0) > 0 } ?? true }

  /// Whether its device is suspended (libpulse: `pa_stream_is_suspended`).
  public var isSuspended: Bool { handle.stream.map { pa_stream_is_suspended($0) > 0 } ?? false }

  /// Pauses or resumes it (libpulse: `pa_stream_cork`).
  public func cork(_ isCorked: Bool, timeout: Duration? = nil) async throws(PulseError) {
    try await handle.request(isCorked ? "cork" : "uncork", timeout: timeout) {
      pa_stream_cork($0, isCorked ? 1 : 0, onSuccess, $1)
    }
  }

  /// Changes its rate, Hz; needs `variableRate` (libpulse: `pa_stream_update_sample_rate`).
  public func updateRate(_ rate: UInt32, timeout: Duration? = nil) async throws(PulseError) {
    try await handle.request("update_sample_rate \(rate) of", timeout: timeout) {
      pa_stream_update_sample_rate($0, rate, onSuccess, $1)
    }
  }

  /// Sets properties of it, beside those that it has, as other clients see them
  /// (libpulse: `pa_stream_proplist_update`).
  public func updateProperties(
    _ properties: [String: String], timeout: Duration? = nil
  ) async throws(PulseError) {
    try await handle.request("proplist_update of", timeout: timeout) { stream, context in
      let request = try? withPropertyList(properties, for: "proplist_update") { list in
        pa_stream_proplist_update(stream, PA_UPDATE_REPLACE, list, onSuccess, context)
      }
      return request ?? nil
    }
  }

  /// Asks for other buffers; what is granted is in `bufferAttributes` afterwards
  /// (libpulse: `pa_stream_set_buffer_attr`).
  public func setBufferAttributes(
    _ attributes: BufferAttributes, timeout: Duration? = nil
  ) async throws(PulseError) {
    var native = attributes.native
    try await handle.request("set_buffer_attr of", timeout: timeout) {
      pa_stream_set_buffer_attr($0, &native, onSuccess, $1)
    }
  }

  /// Asks for another latency of the device, as `StreamOptions.latency` does.
  public func setLatency(_ latency: Duration, timeout: Duration? = nil) async throws(PulseError) {
    guard let sampleSpec else { return try await cork(isCorked, timeout: timeout) }
    try await setBufferAttributes(
      BufferAttributes(deviceLatency: latency, direction, sampleSpec), timeout: timeout)
  }

  /// Sets what is called once, on the loop's thread, when the stream ends.
  ///
  /// The error's code is `killed` where the server ended it, `disconnected` where the server went,
  /// `closed` after `close`. Where it has ended already, the handler is called before this returns.
  public func setEndHandler(_ handler: (@Sendable (PulseError) -> Void)?) {
    if case .ended(let error) = handle.state {
      handler?(error)
    } else {
      handle.endHandler = handler
    }
  }

  /// Sets what is called, on the loop's thread, when something happens to the stream.
  public func setChangeHandler(_ handler: (@Sendable (StreamChange) -> Void)?) {
    handle.changeHandler = handler
  }

  /// Ends the stream; may be repeated (libpulse: `pa_stream_disconnect`).
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
    // Sizes are bytes of the *asked* spec; where the server chose another, ask again in its bytes.
    if let latency = options.latency, await stream.sampleSpec != options.spec {
      try await stream.setLatency(latency, timeout: timeout)
    }
    return stream
  }
}
