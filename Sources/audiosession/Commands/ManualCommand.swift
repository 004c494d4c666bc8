import ArgumentParser
import FoundationEssentials

/// `manual`: the man page, for packages; hidden, because people read it with `man`.
struct ManualCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual", abstract: "Print the manual page, in the form that 'man' reads.",
    shouldDisplay: false)

  @Argument(help: "A topic: profile, json or hooks; without one, the commands.") var topic: String?

  func run() throws {
    if let topic {
      guard let topic = Topic.named(topic) else { throw ValidationError("no topic '\(topic)'") }
      print(topic.manual, terminator: "")
      return
    }
    let help = Data(AudioSessionCommand._dumpHelp().utf8)
    let tool = try JSONDecoder().decode(ManualPage.Tool.self, from: help)
    print(ManualPage(tool.command).text, terminator: "")
  }
}
