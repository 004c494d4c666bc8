/// Why sound could not be captured, recorded, made or played.
public struct StreamError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure; raw values are the `code` of an error event.
  public enum Code: String, Sendable, Hashable, Codable, CaseIterable {
    /// The session could not be connected or set: fix the session.
    case sessionConfigFailed
    /// The stream's thread or memory could not be had: the machine is out of something.
    case engineInitFailed
    /// There is nothing to pause or resume: start first.
    case engineNotInitialized
    /// The server did not make the stream: try again.
    case engineStartFailed
    /// A format, rate, channel or buffer size that cannot be: fix the configuration.
    case invalidFormat
    /// There is no converter between these formats: a library is missing, or has no memory.
    case converterFailed
    /// The converter failed on the way.
    case conversionFailed
    /// It runs already: stop it first.
    case alreadyStreaming
    /// There is no such device, or none at all: plug one in.
    case deviceNotAvailable
    /// The server lets nobody in, or a file may not be opened.
    case permissionDenied
    /// A value out of its range: fix the call.
    case invalidValue
    /// A library that this needs was not there when the package was built.
    case missingPackage
    /// There is no such file.
    case fileNotFound
    /// A file has no sound that can be read or played.
    case notASound
    /// A file could not be read or written.
    case fileFailed
    /// Nobody reads the pipe any more.
    case closedPipe
  }

  /// The kind of failure.
  public var code: Code
  /// What was wrong, with what value, and what would work.
  public var message: String
  /// The words of whatever said so first; nil where there are none.
  public var details: String?
  /// Whether it failed because no server answers, or the one that did is gone.
  package var isServerAway = false
  /// Whether the stream was at another rate than the server said; a new one may be right.
  package var isWrongRate = false
  /// Whether the server did not answer in the time that it has.
  package var isTimedOut = false

  /// Makes an error.
  public init(_ code: Code, _ message: String, details: String? = nil) {
    self.code = code
    self.message = message
    self.details = details
  }

  /// The message, with the details.
  public var description: String { details.map { "\(message): \($0)" } ?? message }
}
