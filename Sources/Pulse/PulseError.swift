/// Why a request to a PulseAudio server failed.
///
/// The only error type of this module. Its description has what failed, on which server, why, and
/// what may help.
public struct PulseError: Error, Sendable, Hashable {
  /// The kind of failure. Later versions may have more.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// No server answers at the address.
    case connectionRefused
    /// The server refuses the client or the request: wrong cookie, or not allowed.
    case accessDenied
    /// No answer before the deadline; a write may still take effect.
    case timedOut
    /// The connection was lost before the answer; a write may have taken effect.
    case disconnected
    /// The calling task was cancelled; a write may have taken effect.
    case cancelled
    /// No such device, card, stream, module, profile or port exists.
    case noSuchEntity
    /// An object with that name exists already.
    case alreadyExists
    /// The object or the server cannot do that, such as a port on a device without ports.
    case notSupported
    /// The server or libpulse rejects a value.
    case invalidArgument
    /// A module exists but did not start.
    case moduleFailed
    /// Another client ended the stream or the client while the request was pending.
    case killed
    /// The object is in use, or in a state that does not allow it.
    case busy
    /// A system call below the server failed: a device, a file, a socket.
    case ioError
    /// Client and server do not understand each other's protocol.
    case protocolError
    /// The owner closed this client.
    case closed
    /// Anything else; see `serverMessage`.
    case other
  }

  /// The kind of failure.
  public var code: Code
  /// The request with its arguments, such as `set_source_port alsa_input.x headset`.
  public var operation: String
  /// libpulse's message, if any (libpulse: `pa_strerror`).
  public var serverMessage: String?
  /// The server's address, if known.
  public var address: String?

  /// Makes an error.
  public init(
    _ code: Code, _ operation: String, _ serverMessage: String? = nil, address: String? = nil
  ) {
    self.code = code
    self.operation = operation
    self.serverMessage = serverMessage
    self.address = address
  }
}

extension PulseError: CustomStringConvertible {
  /// What failed, why, where, and what may help, in one line.
  public var description: String {
    let place = address.map { " (server \($0))" } ?? ""
    return "\(operation): \(reason)\(place); \(advice)"
  }

  private var reason: String {
    let words =
      switch code {
      case .connectionRefused: "no server answers"
      case .accessDenied: "access denied"
      case .timedOut: "timed out waiting for the server's answer"
      case .disconnected: "connection lost"
      case .cancelled: "cancelled"
      case .noSuchEntity: "no such entity"
      case .alreadyExists: "it exists already"
      case .notSupported: "not supported"
      case .invalidArgument: "invalid argument"
      case .moduleFailed: "the module failed to start"
      case .killed: "ended by the server"
      case .busy: "busy"
      case .ioError: "input/output error"
      case .protocolError: "protocol error"
      case .closed: "the connection is closed"
      case .other: "failed"
      }
    guard let serverMessage, serverMessage.lowercased() != words else { return words }
    return "\(words): \(serverMessage)"
  }

  private var advice: String {
    switch code {
    case .connectionRefused: "start the server, or check the address (PULSE_SERVER)"
    case .accessDenied: "check the cookie (PULSE_COOKIE) and the server's access rules"
    case .timedOut: "try again; the server may be frozen or overloaded"
    case .disconnected: "connect again, then repeat the request"
    case .noSuchEntity: "list what there is, and use one of those names"
    case .alreadyExists: "use another name"
    case .invalidArgument: "correct the value"
    case .moduleFailed: "check the module's arguments; the server's log has the reason"
    case .busy, .ioError, .other: "try again"
    case .notSupported: "this object or server cannot do it"
    case .killed: "open it again if it is still wanted"
    case .protocolError: "client and server versions do not fit"
    case .cancelled, .closed: "nothing to do"
    }
  }
}
