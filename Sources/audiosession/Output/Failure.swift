import AudioSession
import AudioStreams
import JSONCoding
import Pulse
import PulseSandbox
import SessionProfiles

/// Any error as one of the session's, with what the program ends with.
struct Failure {
  var error: SessionError
  var status: Status
  /// All problems of a profile, if there are several.
  var mistakes: [ProfileDiagnostic] = []
  /// The names that would work, where the text has them in a sentence.
  private var names: [String] = []

  init(_ error: any Error) {
    var status: Status?
    switch error {
    case let error as SessionError: self.error = error
    case let error as ProfileMistakes:
      self.error = error.all[0].sessionError
      self.error.message += error.consequence
      mistakes = error.all
    case let error as SandboxError:
      self.error = SessionError(error)
      (self.error.value, names) = (error.value, error.alternatives)
      if error.code == .commandNotFound { status = .commandNotFound }
      if error.code == .noSuchDevice { status = .usage }
    case let error as StreamError: self.error = SessionError(error)
    case let error as PulseError where error.code != .cancelled:
      self.error = SessionError(.serverLost, stage: .server, error.description)
    case is PulseError, is CancellationError:
      self.error = SessionError(.cancelled, stage: .session, "cancelled")
    default:
      self.error = SessionError(
        .activationFailed, stage: .session, "this is a bug of audiosession: \(error)")
      status = .bug
    }
    self.status = status ?? Status(self.error)
  }

  /// What `--json` prints instead of a result; where a profile has more than one mistake also
  /// `diagnostics`, as of `profiles check`, of which the first is the error.
  var json: JSONObject {
    var error = error
    if !names.isEmpty { error.alternatives = names }
    let members: JSONObject = ["schema": 1, "error": ErrorBody(error)]
    return members.adding("diagnostics", mistakes.isEmpty ? nil : mistakes)
  }
}

extension SessionError {
  /// A private server that could not be had is a server that cannot be reached.
  init(_ error: SandboxError) {
    let code: Code =
      switch error.code {
      case .programMissing: .serverUnreachable
      case .serverDied, .notRunning, .closed: .serverLost
      case .timedOut: .timedOut
      case .commandNotFound, .noSuchDevice: .invalidValue
      case .folder: .storeFailed
      case .spawn, .configuration, .refused: .refused
      }
    let lines = error.description.split(separator: "\n").map(String.init)
    self.init(
      code, stage: .server, lines.first ?? error.message, value: error.value,
      alternatives: Array(lines.dropFirst()))
  }
}
