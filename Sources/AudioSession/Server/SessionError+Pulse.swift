import Pulse

extension SessionError {
  /// A failure of the server or of the connection to it, with the operation that met it.
  init(_ error: PulseError) {
    let code: Code =
      switch error.code {
      case .connectionRefused: .serverUnreachable
      case .accessDenied: .accessDenied
      case .timedOut: .timedOut
      case .cancelled: .cancelled
      case .disconnected, .closed: .serverLost
      default: .refused
      }
    self.init(code, stage: .server, error.description, value: error.operation)
  }

  /// Whether the connection is of no use any more.
  var endsConnection: Bool {
    switch code {
    case .serverUnreachable, .serverLost, .timedOut: true
    default: false
    }
  }
}
