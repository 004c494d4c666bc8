internal import CPulse
internal import Glibc
internal import Logging
internal import POSIX

/// A `pa_context` and its pending requests: the part of a client that libpulse calls.
///
/// Every method runs on the loop's thread, as do libpulse's callbacks. So it needs no lock, and
/// both `PulseClient` and `PulseStream`, two actors on that thread, can use it.
final class Connection: @unchecked Sendable {  // confined to the loop's thread, see above
  let thread: LoopThread
  let requestTimeout: Duration
  let logger: Logger?
  var state = NativeState.idle
  var requestedAddress: String?
  /// The first address of several that libpulse tries; nil if that was refused at once.
  private var firstAddress: String?
  var pending: [UInt64: PendingRequest] = [:]
  var lastID: UInt64 = 0
  var deadlines = Deadlines()
  var streams: [ObjectIdentifier: StreamHandle] = [:]
  /// Whether a stream was opened on it.
  var hasHadStreams = false
  var eventHandler: (@Sendable (PulseEvent) -> Void)?
  let events = Readers<PulseEvent>()
  var disconnectHandler: (@Sendable (PulseError) -> Void)?

  init(thread: LoopThread, requestTimeout: Duration, logger: Logger?) {
    self.thread = thread
    self.requestTimeout = requestTimeout
    self.logger = logger
  }

  var context: OpaquePointer? { state.native }

  var serverAddress: String? {
    context.flatMap { pa_context_get_server($0) }.map { String(cString: $0) } ?? requestedAddress
  }

  /// Starts to connect; the request ends when the server has accepted the client.
  func open(
    address: String?, name: String, properties: [String: String], timeout: Duration
  ) throws(PulseError) -> Pending<Void> {
    requestedAddress = address
    let context = try withPropertyList(properties, for: "connect") {
      pa_context_new_with_proplist(thread.api, name, $0)
    }
    guard let context else {
      throw PulseError(.invalidArgument, "connect", "not a client's name: \(name)")
    }
    let me = Unmanaged.passRetained(self)  // for the callbacks; `end` releases it with the context
    pa_context_set_state_callback(context, onContextState, me.toOpaque())
    pa_context_set_subscribe_callback(context, onSubscriptionEvent, me.toOpaque())
    let opening: Pending<Void> = makeRequest("connect", timeout: timeout, in: context)
    state = .opening(context, opening)
    thread.beginHandshake()
    if pa_context_connect(context, address, PA_CONTEXT_NOAUTOSPAWN, nil) < 0 {
      end(contextError("connect"))
    } else if let serverAddress {
      firstAddress = serverAddress
      thread.noteServer(serverAddress)
    }
    return opening
  }

  /// Ends the connection and, exactly once each, everything that waits for it.
  func end(_ error: PulseError) {
    guard let context else { return }
    let (requests, streams) = (pending.values, self.streams.values)
    deadlines.free(thread.api)
    if case .opening = state { thread.endHandshake() }
    state = .ended(error)
    for request in requests { request.abort(abandonment { request.operation }) }
    for stream in streams { stream.end(error) }
    pa_context_set_state_callback(context, nil, nil)
    pa_context_set_subscribe_callback(context, nil, nil)
    pa_context_disconnect(context)
    pa_context_unref(context)
    Unmanaged.passUnretained(self).release()  // balances open()
    logger?.debug("disconnected: \(error)")
    eventHandler = nil
    events.finish()
    let handler = disconnectHandler
    disconnectHandler = nil
    handler?(error)
  }

  /// Ends the connection after an answer that never came.
  func endUnanswered() {
    end(PulseError(.disconnected, "open a stream", "no answer", address: serverAddress))
  }

  /// Ends the streams on the server and then the connection; calls a function then, at the latest after
  /// 0.2 s. See `PulseClient.endStreams`.
  func closeAfterStreams(_ done: @escaping () -> Void) {
    guard hasHadStreams, state.isReady else {
      close()
      return done()
    }
    for stream in streams.values { stream.close() }
    // The answers come in order; this request changes nothing.
    let answer: Pending<Void>? = try? send("close", timeout: .milliseconds(200)) {
      pa_context_subscribe($0, PA_SUBSCRIPTION_MASK_NULL, onSuccess, $1)
    }
    let end = { [self] in
      close()
      done()
    }
    answer.map { $0.whenEnded(end) } ?? end()
  }

  func close() {
    end(PulseError(.closed, "close", address: serverAddress))
    if case .idle = state { state = .ended(PulseError(.closed, "close")) }
  }

  /// Called when libpulse has changed the context's state.
  func contextStateChanged() {
    guard let context else { return }
    switch (pa_context_get_state(context), state) {
    case (PA_CONTEXT_READY, .opening(_, let opening)):
      state = .ready(context)
      thread.endHandshake()
      logger?.debug("connected to \(serverAddress ?? "the default server")")
      opening.succeed(())
    case (PA_CONTEXT_FAILED, .opening):
      var error = contextError("connect")
      // libpulse names the address that it tried last.
      if error.code == .connectionRefused {
        if let first = firstAddress ?? usersSocket { error.address = first }
        if PulseClient.unnamedRuntimeFolder(requestedAddress) != nil {
          error.serverMessage =
            "XDG_RUNTIME_DIR is not set, so the user's server is not looked for"
        }
      }
      end(error)
    case (PA_CONTEXT_FAILED, _), (PA_CONTEXT_TERMINATED, _):
      var error = contextError("connection")
      error.code = .disconnected
      end(error)
    default: break
    }
  }

  /// The user's socket, which libpulse tries before the system's if no server is set; nil if one is.
  private var usersSocket: String? {
    guard requestedAddress == nil, ProcessEnvironment["PULSE_SERVER"] == nil,
      ["/var/run/pulse/native", "/run/pulse/native"].contains(serverAddress)
    else { return nil }
    if let folder = ProcessEnvironment["PULSE_RUNTIME_PATH"] { return folder + "/native" }
    // libpulse does not use the folder of another user.
    guard let folder = ProcessEnvironment.folder("XDG_RUNTIME_DIR"),
      File.status(folder).map({ $0.st_uid == getuid() }) ?? true
    else { return nil }
    return folder + "/pulse/native"
  }

  /// libpulse's current error, for the request that caused it.
  func contextError(_ operation: String) -> PulseError {
    if case .ended = state { return abandonment { operation } }
    let number = context.map { pa_context_errno($0) } ?? 0
    return PulseError(number: number, operation, address: serverAddress)
  }

  /// Why a request ends without an answer: the end of the connection or of its stream.
  func abandonment(_ operation: () -> String) -> PulseError {
    guard case .ended(var error) = state else {
      return PulseError(.killed, operation(), address: serverAddress)
    }
    error.operation = operation()
    return error
  }
}
