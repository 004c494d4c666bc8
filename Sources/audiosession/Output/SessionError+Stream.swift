import AudioSession
import AudioStreams

/// Runs what reads or writes a file; the error of the file has its name as the value.
func naming<Result>(
  _ file: String, _ body: () async throws -> Result
) async throws -> Result {
  do { return try await body() } catch let error as StreamError {
    var failure = SessionError(error)
    let isOfTheFile = [.fileNotFound, .notASound, .fileFailed].contains(error.code)
    if isOfTheFile { failure.value = file }
    throw failure
  }
}

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
