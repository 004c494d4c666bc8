import AudioSession
import AudioStreams

extension SessionError {
  /// A stream's failure in the words and codes of the session's.
  init(_ error: StreamError) {
    let code: Code =
      switch error.code {
      case _ where error.isCancelled: .cancelled
      case _ where error.isServerAway: .serverUnreachable
      case _ where error.isTimedOut: .timedOut
      case .permissionDenied: .accessDenied
      case .deviceNotAvailable: error.isOfOutput ? .outputNotAvailable : .inputNotAvailable
      case .fileNotFound: .fileNotFound
      case .invalidValue, .invalidFormat, .notASound: .invalidValue
      case .fileFailed, .closedPipe: .storeFailed
      case .sessionConfigFailed, .engineInitFailed, .engineNotInitialized, .engineStartFailed,
        .converterFailed, .conversionFailed, .alreadyStreaming, .missingPackage:
        .refused
      }
    let isOfTheFile = error.code == .fileNotFound || error.code == .notASound
    self.init(code, stage: isOfTheFile ? .configuration : .device, error.description)
  }
}
