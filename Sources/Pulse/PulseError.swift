/// Why a request to a PulseAudio server failed.
///
/// The only error this module throws. It says what failed, on which server, why, and what may help.
public struct PulseError: Error, Sendable, Hashable {
  /// What kind of failure it was.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// Nobody answers at the address.
    case connectionRefused
    /// The server does not let this client do it: wrong cookie, or the request is not allowed.
    case accessDenied
    /// No answer before the deadline; a write may still have happened.
    case timedOut
    /// The connection was lost before the answer came; a write may have happened.
    case disconnected
    /// The calling task was cancelled; a write may have happened.
    case cancelled
    /// There is no such device, card, stream, module, profile or port.
    case noSuchEntity
    /// Something with that name is there already.
    case alreadyExists
    /// The object or the server cannot do that, such as a port on a device without ports.
    case notSupported
    /// The server or libpulse rejects a value.
    case invalidArgument
    /// A module was found and would not start.
    case moduleFailed
    /// Somebody ended the stream or client while the request was pending.
    case killed
    /// The object is in use, or in a state that does not allow it.
    case busy
    /// The system failed below the server: a device, a file, a socket.
    case ioError
    /// Client and server do not understand each other.
    case protocolError
    /// This client was closed by its owner.
    case closed
    /// Anything else; see `serverMessage`.
    case other
  }

  /// What a caller can do about an error.
  public enum Remedy: String, Sendable, Hashable {
    /// The same request may work later.
    case retry
    /// The connection is gone: connect again, then repeat the request.
    case reconnect
    /// It fails until the request itself is changed.
    case fixInput
    /// It will not work on this server, or nobody wants it any more.
    case giveUp
  }

  /// What kind of failure it was.
  public var code: Code
  /// The request with its arguments, such as `set_source_port alsa_input.x headset`.
  public var operation: String
  /// libpulse's words, where it has some (libpulse: `pa_strerror`).
  public var serverMessage: String?
  /// The server's address, where one is known.
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

  /// What a caller can do about it.
  public var remedy: Remedy {
    switch code {
    case .timedOut, .busy, .ioError, .other: .retry
    case .connectionRefused, .disconnected: .reconnect
    case .noSuchEntity, .alreadyExists, .invalidArgument, .moduleFailed: .fixInput
    case .accessDenied, .notSupported, .killed, .protocolError, .cancelled, .closed: .giveUp
    }
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
