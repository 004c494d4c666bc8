import ArgumentParser
import PulseSandbox

struct CompeteFault: FaultKind {
  static let configuration = CommandConfiguration(
    commandName: "compete",
    abstract: "Let another program keep changing a setting.",
    discussion: """
      That program sets a value, and sets it again whenever it changes:

        compete default-input NAME
        compete default-output NAME
        compete port DEVICE PORT
        compete profile CARD PROFILE
        compete volume DEVICE PERCENT
        compete mute DEVICE yes|no

      Without --for it runs until it is ended (Ctrl-C).
      """)

  @Argument(help: ArgumentHelp("What it sets; see above.", valueName: "setting"))
  var setting: [String]

  @Option(for: "How long: 500ms, 2s.") var duration: TimeLimit?

  @Option(
    name: .customLong("as"), help: ArgumentHelp("What the server lists it as.", valueName: "name"))
  var client = "rival"

  var fault: Fault {
    get throws {
      guard let contested = ContestedSetting(words: setting) else {
        throw ValidationError(
          "'\(setting.joined(separator: " "))' is not a setting to compete for; "
            + "'audiosession sandbox simulate compete --help' lists them")
      }
      return .compete(contested, name: client)
    }
  }

  var done: String { "\(client) keeps setting \(setting.joined(separator: " "))" }
}
