internal import AudioSession

/// Why sound could not be captured, recorded, generated or played.
public struct StreamError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure; raw values are the `code` of an error event. Later versions may have more.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum Code: String, Sendable, Hashable, Codable, CaseIterable {
    /// The session could not be connected or set: fix the session.
    case sessionConfigFailed
    /// The stream's thread or memory could not be allocated: the machine is out of a resource.
    case engineInitFailed
    /// There is nothing to pause or resume: start first.
    case engineNotInitialized
    /// The server did not create the stream: try again.
    case engineStartFailed
    /// An impossible format, rate, channel or buffer size: fix the configuration.
    case invalidFormat
    /// No converter between these formats could be made: a library is missing, or memory is short.
    case converterFailed
    /// The converter failed while it ran.
    case conversionFailed
    /// It runs already: stop it first.
    case alreadyStreaming
    /// There is no such device, or no device at all: plug one in.
    case deviceNotAvailable
    /// The server denied access, or a file may not be opened.
    case permissionDenied
    /// A value is out of range: fix the call.
    case invalidValue
    /// A required library was missing when the package was built.
    case missingPackage
    /// There is no such file.
    case fileNotFound
    /// A file has no sound that can be read or played.
    case notASound
    /// A file could not be read or written.
    case fileFailed
    /// The reader closed the pipe.
    case closedPipe
  }

  /// The kind of failure.
  public var code: Code
  /// What was wrong, the value, and what would work.
  public var message: String
  /// The original message of the server or a library; nil if there is none.
  public var details: String?
  /// Whether it failed because no server answers or the connection was lost.
  package var isServerAway = false
  /// Whether the stream was at another rate than the server said; a new one may be right.
  package var isWrongRate = false
  /// Whether the device that is not available is an output.
  package var isOfOutput = false
  /// Whether the server did not answer in the time that it has.
  package var isTimedOut = false
  /// Whether the task was cancelled in the meantime.
  package var isCancelled = false
  /// Whether a pipe's reader read nothing when the recording was to end.
  package var isOfStalledReader = false

  /// Makes an error.
  public init(_ code: Code, _ message: String, details: String? = nil) {
    self.code = code
    self.message = message
    self.details = details
  }

  /// Makes an error with one of its marks.
  init(
    _ code: Code, _ message: String, details: String? = nil, is mark: WritableKeyPath<Self, Bool>
  ) {
    self.init(code, message, details: details)
    self[keyPath: mark] = true
  }

  /// The error of a connected device that has delivered nothing for a while.
  ///
  /// - Parameter isServerStuck: whether the server has not answered either.
  package static func silent(
    _ device: String, _ time: Duration, isServerStuck: Bool = false
  ) -> StreamError {
    let what = "\(device) has delivered nothing for \(time.components.seconds) s"
    guard !isServerStuck else {
      return StreamError(
        .engineStartFailed, what, details: "the server does not answer; try again",
        is: \.isTimedOut)
    }
    return StreamError(
      .deviceNotAvailable,
      what,
      details: "it is connected, but suspended, or its driver or the server is stuck; "
        + "unplug it and plug it in again, or use another input")
  }

  /// The error of a stream that the server left without its source: the zeros cannot be told from
  /// silence before another stream hears sound.
  static func deaf(_ device: String, _ time: Duration) -> StreamError {
    StreamError(
      .engineStartFailed,
      "the last \(time.components.seconds) s from \(device) are silence, although it has sound",
      details: "the server left the stream without its source; it was opened again")
  }

  /// The error of an output that takes no more sound.
  package static func standstill(_ device: String) -> StreamError {
    StreamError(
      .engineStartFailed, "\(device) has not played all of the sound in time",
      details: "it is suspended, or its driver or the server is stuck", is: \.isTimedOut)
  }

  /// The error of a file that a disk does not read or write in time.
  static func hangingDisk(_ what: String, in time: Duration) -> StreamError {
    StreamError(
      .fileFailed, "\(what) within \(time.components.seconds) s",
      details: "its disk or network folder does not answer")
  }

  /// The error of a recording that has waited for its server for long enough.
  static func serverAway(for time: Duration) -> StreamError {
    StreamError(
      .engineStartFailed, "the server has not answered for \(time.components.seconds) s",
      details: "the recording has ended; the file has the sound from before, then silence",
      is: \.isServerAway)
  }

  /// The error of a recording whose session has no mode any more when an interruption ends.
  static let inactive = StreamError(
    .sessionConfigFailed, "the session was deactivated while the recording was interrupted",
    details: "the recording has ended; the file has the sound from before")

  /// The error of a recording with a duration whose session was closed.
  static let closed = StreamError(
    .sessionConfigFailed, "the session was closed during the recording",
    details: "the file has the sound from before")

  /// The error of a pipe whose reader read nothing when the recording was to end.
  static func stalledReader(of pipe: String) -> StreamError {
    StreamError(
      .fileFailed, "the end of the recording is lost",
      details: "the reader of \(pipe) reads nothing", is: \.isOfStalledReader)
  }

  /// Makes the error of a call that a session refused.
  init(session error: SessionError, _ message: String) {
    self.init(
      error.code == .accessDenied ? .permissionDenied : .sessionConfigFailed, message,
      details: error.message)
    isServerAway = [.serverUnreachable, .serverLost].contains(error.code)
    isTimedOut = error.code == .timedOut
    isCancelled = error.code == .cancelled
  }

  /// The message, with the details.
  public var description: String { details.map { "\(message): \($0)" } ?? message }
}
