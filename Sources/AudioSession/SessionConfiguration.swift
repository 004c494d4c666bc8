public import Logging
import SessionCore

/// How a session connects, and where it keeps its files.
public struct SessionConfiguration: Sendable {
  /// How long a call may take in total, including its rollback.
  public var timeout: Duration
  /// The folder for the mode, the status and the baseline; nil means `$XDG_STATE_HOME/audiosession`.
  public var storeFolder: String?
  /// Whether the session holds its server's session while it is active: it keeps the lock, and the
  /// pins that hold rate and buffer. A command that applies and ends does not.
  public var isHolding: Bool
  /// Whether a holding session keeps holding without a mode and takes orders from commands, as a
  /// service does.
  package var holdsWithoutMode = false
  /// The session's name on the server.
  public var name: String
  /// Called around each change that this session is asked to make.
  package var observer: SessionObserver?
  /// Gets each request at trace level, each plan at debug level.
  public var logger: Logger?
  /// Gets everything that the session sees, decides and does, on the session's thread: a bug report
  /// that can be replayed.
  package var tracer: (@Sendable (TraceEntry) -> Void)?
  /// The server's address in PulseAudio's syntax; nil means the environment's.
  package var server: String?
  /// Whether a call after `close` opens the session again.
  package var reopens = false

  /// Makes a configuration; every value has a default.
  public init(
    timeout: Duration = .seconds(5), storeFolder: String? = nil, isHolding: Bool = true,
    name: String = "Audio session", logger: Logger? = nil
  ) {
    self.timeout = timeout
    self.storeFolder = storeFolder
    self.isHolding = isHolding
    self.name = name
    self.logger = logger
  }
}

extension SessionConfiguration {
  /// The file for the messages of a server's holder in the background, beside the session's own files.
  ///
  /// - Parameter server: its address; nil for the environment's.
  package static func holderLog(on server: String?) -> String {
    let server = SessionStore.Server(server ?? SessionStore.environmentAddress())
    return "\(SessionStore.defaultFolder)/\(server.files).watch.log"
  }
}
