import ArgumentParser
import AudioSession
import CThreadPool
import Glibc

/// The program: parses the arguments and runs one command.
@main
struct AudioSessionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audiosession",
    abstract: "Declare the audio setup you want; see that it is so.",
    discussion: """
      A profile says what is wished: category, sample rate, IO buffer, input, port, channel map. \
      'plan' shows what applying it would change, 'apply' changes it in one order and reads it \
      back, 'state' says what is wished, what is, and why they differ, 'revert' undoes it.

      Results go to standard output, messages to standard error; --json makes the result JSON.
      """,
    version: "audiosession \(programVersion)",
    subcommands: [
      ApplyCommand.self, PlanCommand.self, StateCommand.self, WatchCommand.self,
      StopCommand.self, RevertCommand.self, DevicesCommand.self, ProfilesCommand.self,
      ServiceCommand.self,
      SandboxCommand.self, DemoCommand.self, ReplayCommand.self, RecordCommand.self,
      PlayCommand.self,
      MeterCommand.self, ToneCommand.self, VerifyCommand.self,
      DoctorCommand.self, ExplainCommand.self, ManualCommand.self,
    ])

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  static func main() async {
    do throws(SessionError) {
      try Descriptors.check()
    } catch {
      leave(Output(isJSON: CommandLine.arguments.contains("--json")).report(error))
    }
    Interruption.install()
    tp_install()
    if let topic = Topic.asked(by: Array(CommandLine.arguments.dropFirst())) {
      print(topic.text(Terminal(descriptor: STDOUT_FILENO)), terminator: "")
      return
    }
    do {
      let command = try parseAsRoot()
      guard let command = command as? any SessionCommand else {
        var command = command
        try command.run()
        return
      }
      if command.options.pipewire, !command.options.sandbox, !(command is SandboxCommand),
        !(command is DemoCommand)
      {
        type(of: command).exit(
          withError: ValidationError("--pipewire says what is in a sandbox; add --sandbox"))
      }
      leave(await run(command))
    } catch {
      if exitCode(for: error) == .validationFailure,
        let unknown = UnknownCommand.find(in: Array(CommandLine.arguments.dropFirst()))
      {
        exit(withError: ValidationError(unknown.message))
      }
      exit(withError: error)
    }
  }

  private static func run(_ command: any SessionCommand) async -> Status {
    let output = Output(isJSON: command.options.json)
    do {
      let status = try await command.run(Context(options: command.options, output: output))
      return output.isLost ? .storeFailed : status
    } catch {
      return output.report(error)
    }
  }
}
