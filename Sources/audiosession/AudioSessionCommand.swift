import ArgumentParser
import AudioSession
import CThreadPool
import PulseSandbox

/// The program: parses the arguments and runs one command.
@main
struct AudioSessionCommand: AsyncParsableCommand, SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "audiosession",
    abstract: "Declare the audio setup you want, apply it, and keep it applied.",
    usage: "audiosession <command> [options]",
    discussion: """
      A profile declares a setup: category, sample rate, IO buffer, input, port, channel map. \
      'plan' shows what applying it would change. 'apply' applies it in one documented order and \
      reads every setting back. 'state' shows preferred and actual settings, and why they differ. \
      'revert' restores the settings from before.

      Without a command: the devices in use, the session, and what to do next. The exit status is 69 \
      without a server, and 75 if it does not answer; --json prints what 'state --json' prints.

      Results are printed on standard output, messages on standard error. 'audiosession help \
      profile' explains the profile files, 'help json' the JSON output, 'help hooks' the programs \
      that run when something happens.
      """,
    version: "audiosession \(programVersion)",
    subcommands: [ManualCommand.self],
    groupedSubcommands: [
      CommandGroup(
        name: "Session",
        subcommands: [
          ApplyCommand.self, PlanCommand.self, StateCommand.self, WatchCommand.self,
          StopCommand.self, RevertCommand.self,
        ]),
      CommandGroup(name: "Profiles", subcommands: [ProfilesCommand.self]),
      CommandGroup(
        name: "Find out",
        subcommands: [
          DevicesCommand.self, DoctorCommand.self, ExplainCommand.self, VerifyCommand.self,
        ]),
      CommandGroup(
        name: "Sound",
        subcommands: [
          RecordCommand.self, PlayCommand.self, MeterCommand.self, ToneCommand.self,
        ]),
      CommandGroup(
        name: "More",
        subcommands: [
          ServiceCommand.self, SandboxCommand.self, DemoCommand.self, ReplayCommand.self,
        ]),
    ])

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  static func main() async {
    Descriptors.reserveStandard()
    let arguments = Array(CommandLine.arguments.dropFirst())
    do throws(SessionError) {
      try Descriptors.check()
    } catch {
      let output = Output(isJSON: arguments.contains("--json"))
      leave(output.report(error, isOneLine: UsageError.printsLines(arguments)))
    }
    Interruption.install()
    tp_install()
    if let mistake = Encoding.mistake { UsageError(ValidationError(mistake), arguments).end() }
    if arguments == ["--version"] { Output(isJSON: false).end(with: configuration.version + "\n") }
    if let topic = Topic.asked(by: arguments) {
      let output = Output(isJSON: false, isPlain: arguments.contains("--plain"))
      output.end(with: topic.text(output.terminal))
    }
    // The parser would take the next word for the value.
    let words = arguments.prefix { $0 != "--" }
    if let option = words.first(where: {
      $0.hasPrefix("--") && $0.firstIndex(of: "=") == $0.indices.last
    }) {
      UsageError(ValidationError(GlobalOptions.emptyValue(of: option.dropLast())), arguments).end()
    }
    if let command = plain(arguments) { await complete(command) }
    // Most of a start would be the parser's, which makes the text twice.
    if arguments.first == "help", case let (type, rest) = named(by: arguments[1...]), rest.isEmpty {
      HelpText.makeRoom()
      Output(isJSON: false).end(withHelp: HelpText.ordered(helpMessage(for: type)))
    }
    do {
      let command = try parsed(arguments)
      guard let command = command as? any SessionCommand else {
        var command = command
        try command.run()
        return
      }
      if command.options.pipewire, !command.options.sandbox, !(command is SandboxCommand),
        !(command is DemoCommand)
      {
        throw ValidationError("--pipewire selects the server of a sandbox; add --sandbox")
      }
      await complete(command)
    } catch {
      HelpText.makeRoom()
      let unknown = UnknownCommand.find(in: arguments).map { ValidationError($0) }
      switch exitCode(for: error) {
      case .validationFailure: UsageError(unknown ?? error, arguments).end()
      case .success:
        let isHelp = arguments.contains { ["help", "--help", "-h"].contains($0) }
        if isHelp, let unknown { UsageError(unknown, arguments).end() }
        let text = fullMessage(for: error)
        let isScript = arguments.contains { $0.hasPrefix("--generate-completion-script") }
        let output = Output(isJSON: false)
        if isScript { output.end(with: CompletionScript.corrected(text) + "\n") }
        output.end(withHelp: HelpText.ordered(text))
      default: exit(withError: error)
      }
    }
  }

  /// The command of a line that needs no parser; nil if the parser decides.
  static func plain(_ arguments: [String]) -> (any SessionCommand)? {
    let (type, rest) = named(by: arguments[...])
    let named = type.configuration.defaultSubcommand ?? type
    return (named as? any SessionCommand.Type)?.plain(rest)
  }

  /// Parses the arguments by the command that they name alone: each of its parents has the same options and
  /// would parse them first, which takes most of the time of a start. What the command refuses (an error, or
  /// help) comes from the whole tree.
  private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    let (type, rest) = named(by: arguments[...])
    if type.configuration.subcommands.isEmpty, let command = try? type.parseAsRoot(Array(rest)),
      Swift.type(of: command) == type
    {
      return command
    }
    return try parseAsRoot(arguments)
  }

  /// The command that the first words name, and the words after its name.
  private static func named(
    by words: ArraySlice<String>
  ) -> (any ParsableCommand.Type, rest: ArraySlice<String>) {
    var (type, rest): (any ParsableCommand.Type, _) = (self, words)
    while let name = rest.first,
      let next = type.configuration.subcommands.first(where: { $0._commandName == name })
    {
      (type, rest) = (next, rest.dropFirst())
    }
    return (type, rest)
  }

  mutating func setPlain(_ operands: [String]) -> Bool { operands.isEmpty }

  /// Without a command: what is in use, what is maintained, and what to do next.
  func run(_ context: Context) async throws -> Status {
    let (state, error) = try await context.withSession { try await StateCommand.state(of: $0) }
    try context.output.result(state) {
      OverviewView.lines(state, width: $0, names: context.names(nil), on: context.options.server)
    }
    return error.map(context.output.complain) ?? .done
  }

  /// Runs a command and ends the program, on the thread on which the command has ended: for a way back to
  /// the main actor, whose thread waits for ever by then, libdispatch would start another one.
  private static func complete(_ command: any SessionCommand) async -> Never {
    leave(await run(command))
  }

  private static func run(_ command: any SessionCommand) async -> Status {
    let output = Output(isJSON: command.options.json, isPlain: command.options.plain)
    let context = Context(options: command.options, output: output)
    let status: Status
    do {
      status = try await output.showing(command.activity) { try await command.run(context) }
    } catch {
      // What a signal cuts off while a private server starts fails in the server's words.
      let isCut = error is SandboxError && Interruption.received != nil
      status = output.report(
        isCut ? CancellationError() : error,
        isOneLine: type(of: command).printsLines(CommandLine.arguments))
    }
    await context.finish()
    return output.isLost ? .storeFailed : status
  }
}
