import ArgumentParser
import AudioSession
import JSONCoding
import PulseSandbox

/// A command that causes a fault in the sandbox inside which it runs.
protocol FaultCommand: SessionCommand {
  var fault: Fault { get throws }
  /// The fault that undoes it if it lasts only for a time; nil if there is none, or it ends by
  /// itself.
  var undoing: Fault? { get }
  /// The duration; nil until it is undone, or the command is ended.
  var duration: TimeLimit? { get }
  /// The result, for users.
  var done: String { get }
}

extension FaultCommand {
  var undoing: Fault? { nil }
  var duration: TimeLimit? { nil }
  var activity: String? { nil }

  func validate() throws {
    guard options.server == nil, !options.sandbox else {
      throw ValidationError(
        "simulate acts on the sandbox that it runs inside of; leave --server and --sandbox out")
    }
    guard RemoteSandbox() != nil else {
      throw ValidationError(
        "this is no sandbox, and a real server is never touched; "
          + "start one with 'audiosession sandbox', and simulate inside of it")
    }
    do { _ = try fault } catch { throw ValidationError("\(error)") }
  }

  func run(_ context: Context) async throws -> Status {
    let (fault, undoing, timeout) = (try fault, undoing, options.timeout.duration)
    let (done, duration) = (done, duration?.duration)
    guard let sandbox = RemoteSandbox() else { return .bug }
    try await Interruption.cancelling {
      let running = try await sandbox.simulate(fault, timeout: timeout)
      try context.output.result(json: ["fault": fault.words]) { _ in [Line(done)] }
      if fault.isLasting {
        try await running.last(for: duration, timeout: timeout)
      } else if let duration, let undoing {
        // A signal ends the wait, and with it the fault.
        try? await ContinuousClock().sleep(for: duration)
        _ = try await sandbox.simulate(undoing, timeout: timeout)
      }
    }
    return Interruption.received.map { .signal($0) } ?? .done
  }
}
