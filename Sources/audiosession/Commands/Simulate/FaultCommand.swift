import ArgumentParser
import JSONCoding
import PulseSandbox

/// A command that causes a fault in the sandbox inside which it runs.
struct FaultCommand<Kind: FaultKind>: SessionCommand {
  static var configuration: CommandConfiguration { Kind.configuration }

  @OptionGroup var kind: Kind

  var activity: String? { nil }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

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
    do { _ = try kind.fault } catch { throw ValidationError("\(error)") }
  }

  func run(_ context: Context) async throws -> Status {
    let (fault, undoing, timeout) = (try kind.fault, kind.undoing, options.timeout.duration)
    let (done, duration) = (kind.done, kind.duration?.duration)
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
    return .ended()
  }
}
