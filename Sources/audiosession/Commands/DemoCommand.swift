import ArgumentParser
import PulseSandbox

struct DemoCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Show a session at work in a private server; your own is left alone.",
    discussion: """
      Starts a private sound server with demo devices and applies a profile. Then another program \
      changes the input, the microphone is unplugged and plugged in, and the server is killed and \
      started again. Each line is the result of what that server reported. Each step may \
      take as long as --timeout says, or 10 seconds if that is less. The exit status is 71 if a step fails.

      JSON: schema; server: kind, name, version; steps: step, ok, text, seconds (null where \
      nothing is timed); ok.
      """)

  @Flag(help: "Pause after each step, for an audience.")
  var slow = false

  var activity: String? { nil }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func validate() throws {
    guard options.server == nil else {
      throw ValidationError("demo starts a server of its own; leave --server out")
    }
  }

  func run(_ context: Context) async throws -> Status {
    let output = context.output
    // Until the server has started, a signal ends this process, and with it the server.
    let report = try await PulseSandbox.with(.demo(on: options.sandboxServer)) { sandbox in
      try await Interruption.cancelling {
        if !Demo.canUnplug(sandbox) {
          output.note(
            "without simulated cards nothing can be unplugged here; that step is left out")
        }
        return try await Demo.run(
          in: sandbox, timeout: max(options.timeout.duration, .seconds(10)), logger: context.logger
        ) { step in
          if !output.isJSON { output.print(DemoView.lines(step, width: output.terminal.width)) }
          if slow { try await ContinuousClock().sleep(for: .seconds(2)) }
        }
      }
    }
    try output.result(report) { DemoView.end(report, width: $0) }
    return report.ok ? .done : .refused
  }
}
