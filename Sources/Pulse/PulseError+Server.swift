internal import CPulse

extension PulseError {
  /// Makes an error from libpulse's number (libpulse: `pa_context_errno`, `pa_strerror`).
  init(number: Int32, _ operation: String, address: String?) {
    let message = pa_strerror(number).map { String(cString: $0) }
    let code = Code.byNumber[UInt32(bitPattern: number)] ?? .other
    self.init(code, operation, message, address: address)
  }
}

extension PulseError.Code {
  fileprivate static let byNumber: [UInt32: PulseError.Code] = [
    PA_ERR_ACCESS.rawValue: .accessDenied, PA_ERR_AUTHKEY.rawValue: .accessDenied,
    PA_ERR_COMMAND.rawValue: .notSupported, PA_ERR_NOTSUPPORTED.rawValue: .notSupported,
    PA_ERR_NOEXTENSION.rawValue: .notSupported, PA_ERR_OBSOLETE.rawValue: .notSupported,
    PA_ERR_NOTIMPLEMENTED.rawValue: .notSupported, PA_ERR_VERSION.rawValue: .protocolError,
    PA_ERR_INVALID.rawValue: .invalidArgument, PA_ERR_TOOLARGE.rawValue: .invalidArgument,
    PA_ERR_INVALIDSERVER.rawValue: .invalidArgument, PA_ERR_EXIST.rawValue: .alreadyExists,
    PA_ERR_NOENTITY.rawValue: .noSuchEntity, PA_ERR_PROTOCOL.rawValue: .protocolError,
    PA_ERR_CONNECTIONREFUSED.rawValue: .connectionRefused, PA_ERR_TIMEOUT.rawValue: .timedOut,
    PA_ERR_CONNECTIONTERMINATED.rawValue: .disconnected, PA_ERR_KILLED.rawValue: .killed,
    PA_ERR_MODINITFAILED.rawValue: .moduleFailed, PA_ERR_BADSTATE.rawValue: .busy,
    PA_ERR_BUSY.rawValue: .busy, PA_ERR_IO.rawValue: .ioError,
  ]
}
