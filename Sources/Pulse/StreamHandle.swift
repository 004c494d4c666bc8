internal import CPulse
internal import Logging
internal import PulseTypes

/// A `pa_stream` and its pending requests: the part of a stream that libpulse calls.
final class StreamHandle: @unchecked Sendable {  // confined to the loop's thread, as Connection is
  let connection: Connection
  let direction: Direction
  let words: String
  var state = NativeState.idle
  var endHandler: (@Sendable (PulseError) -> Void)?
  var dataHandler: (@Sendable () -> Void)?

  init(_ connection: Connection, _ options: StreamOptions) {
    self.connection = connection
    direction = options.direction
    let device = options.device.map { " on \($0)" } ?? ""
    words = "\(options.direction == .input ? "record" : "playback") stream \(options.name)\(device)"
  }

  var stream: OpaquePointer? { state.native }

  /// Creates the stream; the request ends when the server has created it.
  func open(_ options: StreamOptions, timeout: Duration?) throws(PulseError) -> Pending<Void> {
    let words = words
    connection.logger?.trace("open \(words)")
    guard case .ready(let context) = connection.state else {
      throw connection.abandonment { "open \(words)" }
    }
    let stream = try makeStream(options, context)
    let me = Unmanaged.passRetained(self)  // for the callbacks; `end` releases it with the stream
    setCallbacks(of: stream, me.toOpaque())
    let opening: Pending<Void> = connection.makeRequest(
      "open \(words)", timeout: timeout, in: context)
    state = .opening(stream, opening)
    connection.streams[ObjectIdentifier(self)] = self
    connection.hasHadStreams = true
    if connect(stream, options) < 0 { end(connection.contextError("open \(words)")) }
    return opening
  }

  private func makeStream(
    _ options: StreamOptions, _ context: OpaquePointer
  ) throws(PulseError) -> OpaquePointer {
    guard var spec = options.spec.native else {
      throw PulseError(
        .invalidArgument, "open \(words)", "not a sample spec: \(options.spec.words)")
    }
    let map = options.channelMap?.native
    if map == nil, let preferred = options.channelMap {
      throw PulseError(.invalidArgument, "open \(words)", "not a channel map: \(preferred)")
    }
    let stream = try withPropertyList(options.properties, for: "open \(words)") { list in
      if var map {
        pa_stream_new_with_proplist(context, options.name, &spec, &map, list)
      } else {
        pa_stream_new_with_proplist(context, options.name, &spec, nil, list)
      }
    }
    guard let stream else { throw connection.contextError("open \(words)") }
    return stream
  }

  private func connect(_ stream: OpaquePointer, _ options: StreamOptions) -> Int32 {
    var bits = options.flags.rawValue
    if options.startCorked { bits |= UInt32(PA_STREAM_START_CORKED.rawValue) }
    if options.latency != nil { bits |= UInt32(PA_STREAM_ADJUST_LATENCY.rawValue) }
    let flags = pa_stream_flags_t(rawValue: numericCast(bits))
    var attributes = pa_buffer_attr(deviceLatency: options.latency, direction, options.spec)
    return switch direction {
    case .input: pa_stream_connect_record(stream, options.device, &attributes, flags)
    case .output: pa_stream_connect_playback(stream, options.device, &attributes, flags, nil, nil)
    }
  }

  private func setCallbacks(of stream: OpaquePointer, _ me: UnsafeMutableRawPointer?) {
    let isSet = me != nil
    pa_stream_set_state_callback(stream, isSet ? onStreamState : nil, me)
    pa_stream_set_read_callback(stream, isSet ? onStreamReadable : nil, me)
    pa_stream_set_write_callback(stream, isSet ? onStreamWritable : nil, nil)
  }

  /// Ends the stream, once, and fails a pending opening.
  func end(_ error: PulseError) {
    guard let stream else { return }
    let before = state
    state = .ended(error)
    connection.streams[ObjectIdentifier(self)] = nil
    setCallbacks(of: stream, nil)
    if pa_stream_get_state(stream) == PA_STREAM_CREATING {
      // The server may still create the stream, and then nothing would end it: libpulse can
      // disconnect only a created stream. Until then the context keeps the stream alive.
      let owner = Unmanaged.passRetained(connection)  // `onAbandonedStreamState` releases it
      pa_stream_set_state_callback(stream, onAbandonedStreamState, owner.toOpaque())
    }
    pa_stream_disconnect(stream)  // fails with BADSTATE if the server ended it, which is fine
    pa_stream_unref(stream)
    Unmanaged.passUnretained(self).release()  // balances open()
    let handler = endHandler
    endHandler = nil
    dataHandler = nil
    switch before {
    case .opening(_, let opening): opening.fail(error)
    default: handler?(error)
    }
  }

  /// Called when data has arrived.
  func noteData() {
    guard let handler = dataHandler else { return }
    dataHandler = nil
    handler()
  }

  func close() { end(PulseError(.closed, words, address: connection.serverAddress)) }

  /// Called when libpulse has changed the stream's state.
  func stateChanged() {
    guard let stream else { return }
    switch (pa_stream_get_state(stream), state) {
    case (PA_STREAM_READY, .opening(_, let opening)):
      state = .ready(stream)
      opening.succeed(())
    case (PA_STREAM_FAILED, .opening):
      let error = connection.contextError("open \(words)")
      end(error)
      // The server may create the stream yet, which then has no owner; with the connection it ends.
      if error.code == .timedOut {
        connection.thread.add(.call { [connection] in connection.endUnanswered() })
      }
    case (PA_STREAM_FAILED, _), (PA_STREAM_TERMINATED, _): end(connection.contextError(words))
    default: break
    }
  }

  /// Sends a request for the stream and waits for its answer.
  func request(
    _ operation: String, timeout: Duration?, isolation: isolated (any Actor)? = #isolation,
    _ call: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?
  ) async throws(PulseError) {
    let operation = "\(operation) \(words)"
    switch state {
    case .ready(let stream):
      try await connection.command(operation, timeout: timeout) { call(stream, $1) }
    case .ended(var error):
      error.operation = operation
      throw error
    case .idle, .opening: throw PulseError(.busy, operation)
    }
  }
}
