import POSIX
import Pulse

extension SessionError {
  /// Converts a failure of the server or the connection, with the operation.
  init(_ error: PulseError) {
    guard error.code != .cancelled else {
      self = .cancelled
      return
    }
    if error.code == .invalidArgument, error.operation == "connect", Self.isServerVariableEmpty {
      self = .emptyServerVariable
      return
    }
    let code: Code =
      switch error.code {
      case .connectionRefused: .serverUnreachable
      case .accessDenied: .accessDenied
      case .timedOut: .timedOut
      case .disconnected, .closed: .serverLost
      default: .refused
      }
    self.init(
      code, stage: .server, error.description,
      value: code == .serverUnreachable ? error.address ?? error.operation : error.operation)
  }

  /// Whether it is set, and names nothing: libpulse refuses that, and does not use its default.
  private static var isServerVariableEmpty: Bool {
    ProcessEnvironment.all[serverVariable].map { $0.allSatisfy(\.isWhitespace) } ?? false
  }

  static let emptyServerVariable = SessionError(
    .serverUnreachable, stage: .server,
    "the variable PULSE_SERVER is empty, and so names no server; unset it for the default",
    key: serverVariable, value: "")

  static let cancelled = SessionError(
    .cancelled, stage: .server, "cancelled while waiting for the server")

  /// PipeWire without WirePlumber, which connects streams to devices and maintains the defaults.
  static let noSessionManager = SessionError(
    .serverUnreachable, stage: .server,
    "WirePlumber is not running, and without it PipeWire connects nothing and sets no default; "
      + "start it: systemctl --user restart wireplumber")
}
