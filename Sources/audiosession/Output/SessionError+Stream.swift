import AudioSession
import AudioStreams

extension SessionError {
  /// A stream's failure in the words and codes of the session's.
  init(_ error: StreamError) {
    let code: Code =
      switch error.code {
      case _ where error.isServerAway: .serverUnreachable
      case .permissionDenied: .accessDenied
      case .deviceNotAvailable: .inputNotAvailable
      case .invalidValue, .invalidFormat: .invalidValue
      case .fileFailed, .closedPipe: .storeFailed
      case .sessionConfigFailed, .engineInitFailed, .engineNotInitialized, .engineStartFailed,
        .converterFailed, .conversionFailed, .alreadyStreaming, .missingPackage:
        .refused
      }
    self.init(code, stage: .device, error.description)
  }
}
