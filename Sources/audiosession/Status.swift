import AudioSession
import Glibc

/// The exit status of the program; users rely on the numbers.
struct Status: RawRepresentable, Sendable, Equatable {
  let rawValue: Int32

  static let done = Status(rawValue: 0)
  /// The work is done, but some preferences are not met.
  static let unmet = Status(rawValue: 3)
  static let usage = Status(rawValue: 64)
  /// A bad profile, trace or sound file.
  static let badInput = Status(rawValue: 65)
  /// No such profile, trace or sound file.
  static let noInput = Status(rawValue: 66)
  static let noServer = Status(rawValue: 69)
  static let bug = Status(rawValue: 70)
  static let refused = Status(rawValue: 71)
  static let storeFailed = Status(rawValue: 74)
  static let timedOut = Status(rawValue: 75)
  static let busy = Status(rawValue: 76)
  static let accessDenied = Status(rawValue: 77)
  static let machineCannot = Status(rawValue: 78)
  /// A shell's status for an unknown command.
  static let commandNotFound = Status(rawValue: 127)

  /// What trying again does not fix: `watch` ends with it, and the service stays ended.
  static let lasting = [usage, badInput, noInput, bug, storeFailed, accessDenied]

  /// The status of a command that a signal ended.
  static func signal(_ number: Int32) -> Status { Status(rawValue: 128 + number) }

  /// The status of a command that is done, or that was ended by a signal other than `usual`.
  static func ended(usual: Int32? = nil) -> Status {
    guard let number = Interruption.received, number != usual else { return .done }
    return .signal(number)
  }
}

extension Status {
  init(_ error: SessionError) {
    self =
      switch error.code {
      case .profileNotFound, .fileNotFound: .noInput
      case .serverUnreachable, .serverLost: .noServer
      case .refused, .activationFailed: .refused
      case .storeFailed: .storeFailed
      case .timedOut: .timedOut
      case .isBusy: .busy
      case .accessDenied: .accessDenied
      case .cancelled: .signal(Interruption.received ?? SIGINT)
      default: error.stage == .configuration ? .badInput : .machineCannot
      }
  }
}

/// Ends the program.
func leave(_ status: Status) -> Never { exit(status.rawValue) }
