import ArgumentParser
import JSONCoding

/// `manual`: the man page, for packages; hidden, because users read it with `man`.
struct ManualCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual", abstract: "Print the manual page, in the form that 'man' reads.",
    shouldDisplay: false)

  @Argument(help: "A topic: profile, json or hooks; without one, the commands.") var topic: String?

  func run() throws {
    if let topic {
      guard let topic = Topic.named(topic) else { throw ValidationError("no topic '\(topic)'") }
      Output(isJSON: false).end(with: topic.manual)
    }
    let help = AudioSessionCommand._dumpHelp()
    let tool = try JSON.decode(ManualPage.Tool.self, from: help.utf8)
    Output(isJSON: false).end(with: ManualPage(tool.command).text)
  }
}
