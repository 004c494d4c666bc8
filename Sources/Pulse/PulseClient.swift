internal import CPulse
public import Logging
public import PulseTypes

/// One connection to a PulseAudio server, or to pipewire-pulse.
///
/// An actor on a `PulseLoop`: its code runs on the loop's thread. A client never reconnects,
/// because a libpulse context cannot be reused: after a disconnect, call `connect` again.
///
/// Every request ends exactly once: with the server's answer, at its deadline, when its task is
/// cancelled, or when the connection ends. A *write* that ended without an answer may still have
/// taken effect. Each request takes a `timeout`, by default `defaultTimeout`. libpulse itself gives
/// up after 30 seconds.
///
/// Errors of every request: `timedOut`, `cancelled`, `disconnected` if the server ended the
/// connection, `closed` after `close`, `accessDenied` if the server does not allow it to this
/// client, `notSupported` if the server does not know it. A request's own comment has further ones.
public actor PulseClient {
  /// The loop whose thread runs this client; share it with other clients and actors.
  public nonisolated let loop: PulseLoop
  /// The deadline of a request without its own timeout.
  public nonisolated let defaultTimeout: Duration
  nonisolated let connection: Connection

  /// Runs the actor on the loop's thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.asUnownedSerialExecutor()
  }

  private init(_ loop: PulseLoop, _ requestTimeout: Duration, _ logger: Logger?) {
    self.loop = loop
    defaultTimeout = requestTimeout
    connection = Connection(thread: loop.thread, requestTimeout: requestTimeout, logger: logger)
  }

  deinit {
    // A deinit can run anywhere; the context belongs to the loop's thread.
    connection.thread.add(
      .call { [connection, loop] in
        // The loop lives until then.
        connection.closeAfterStreams { withExtendedLifetime(loop) {} }
      })
  }

  /// Connects to a server and waits until the server has accepted the client.
  ///
  /// Never starts a server. A nil address means the environment's default; `/x/y` means
  /// `unix:/x/y`. The connection lasts until `close`, until the last reference is released, or
  /// until the server ends it.
  ///
  /// - Parameters:
  ///   - address: the server's address, in PulseAudio's syntax.
  ///   - name: the name under which the server lists this client.
  ///   - properties: further properties of the client, such as `application.id`.
  ///   - timeout: how long to wait for the connection.
  ///   - requestTimeout: the deadline of each later request without its own timeout.
  ///   - loop: the loop to run on; nil starts one.
  ///   - logger: gets each request at trace level, and changes of the connection at debug level.
  /// - Throws: `connectionRefused` if no server answers, `accessDenied` for a wrong cookie,
  ///   `timedOut` for a frozen server, `invalidArgument` for an invalid address or property,
  ///   `cancelled`, `ioError` if no thread can be started.
  ///
  /// libpulse: `pa_context_connect` with `PA_CONTEXT_NOAUTOSPAWN`.
  public nonisolated(nonsending) static func connect(
    to address: String? = nil, name: String, properties: [String: String] = [:],
    timeout: Duration = .seconds(5), requestTimeout: Duration = .seconds(5),
    loop: PulseLoop? = nil, logger: Logger? = nil
  ) async throws(PulseError) -> PulseClient {
    let loop = loop ?? PulseLoop()
    if let failure = loop.thread.failure { throw failure }
    let client = PulseClient(loop, requestTimeout, logger)
    try await client.open(address, name, properties, timeout)
    return client
  }

  private func open(
    _ address: String?, _ name: String, _ properties: [String: String], _ timeout: Duration
  ) async throws(PulseError) {
    let opening = try connection.open(
      address: address, name: name, properties: properties, timeout: timeout)
    try await opening.value()
  }

  /// Closes the connection; the client's own objects on the server (streams) end with it.
  ///
  /// Every pending request ends with `closed`, and so does every later one. May be called
  /// repeatedly.
  ///
  /// libpulse: `pa_context_disconnect`.
  public func close() { connection.close() }

  /// Ends all streams that were opened, and waits up to 0.2 s until the server has ended them.
  ///
  /// Call it before `close`, because libpulse sends nothing more once it is disconnected. The server sees
  /// the end of the connection, but not while another process has that, such as a child of this program that
  /// was forked.
  public func endStreams() async {
    guard connection.hasHadStreams, isConnected else { return }
    for stream in connection.streams.values { stream.close() }
    // Answered in order.
    _ = try? await serverInfo(timeout: .milliseconds(200))
  }

  /// Whether requests can be sent.
  public var isConnected: Bool { connection.state.isReady }

  /// The address of the server, as libpulse resolved it (libpulse: `pa_context_get_server`).
  public var serverAddress: String? { connection.serverAddress }

  /// This client's index on the server (libpulse: `pa_context_get_index`).
  public var index: Index<Client>? {
    connection.context.flatMap { Index(valid: pa_context_get_index($0)) }
  }
}
