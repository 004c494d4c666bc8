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
    let (reason, advice) = words
    let said = serverMessage.flatMap { $0.lowercased() == reason ? nil : ": \($0)" } ?? ""
    let place = address.map { " (server \($0))" } ?? ""
    return "\(operation): \(reason)\(said)\(place); \(advice)"
  }

  private var words: (reason: String, advice: String) {
    switch code {
    case .connectionRefused:
      ("no server answers", "start the server, or check its address")
    case .accessDenied:
      ("access denied", "check the cookie (PULSE_COOKIE) and the server's access rules")
    case .timedOut:
      (
        "timed out waiting for the server's answer",
        "try again; the server may be frozen or overloaded"
      )
    case .disconnected: ("connection lost", "connect again, then repeat the request")
    case .cancelled: ("cancelled", "nothing to do")
    case .noSuchEntity: ("no such entity", "list what there is, and use one of those names")
    case .alreadyExists: ("it exists already", "use another name")
    case .notSupported: ("not supported", "this object or server cannot do it")
    case .invalidArgument: ("invalid argument", "correct the value")
    case .moduleFailed:
      (
        "the module failed to start",
        "check the module's arguments; the server's log has the reason"
      )
    case .killed: ("ended by the server", "open it again if it is still wanted")
    case .busy: ("busy", "try again")
    case .ioError: ("input/output error", "try again")
    case .protocolError: ("protocol error", "client and server versions do not fit")
    case .closed: ("the connection is closed", "nothing to do")
    case .other: ("failed", "try again")
    }
  }
}
