import ArgumentParser
import AudioSession
import JSONCoding
import SessionProfiles

struct ProfilesShowCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print a profile in full, with what it extends, as a file that can be saved.",
    discussion: """
      JSON: schema, name, description, source, extends, mode (each property, with the \
      values of 'state'; null if it is not set), toml.
      """)

  @Argument(
    help: "The name of a profile, or the path of its file.", completion: Completion.profile)
  var profile: String

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  mutating func setPlain(_ operands: [String]) -> Bool {
    profile = operands.first ?? ""
    return operands.count == 1
  }

  func run(_ context: Context) async throws -> Status {
    let found = try Profile.found(profile)
    return try context.output.result(json: [
      "name": found.name, "description": found.description, "source": found.source.description,
      "extends": found.extends, "mode": found.mode.json, "toml": found.toml,
    ]) { _ in
      ProfilesView.lines(found, dropIns: Profile.dropIns(of: profile))
    }
  }
}

extension Profile {
  /// The profile in full, as a file.
  var toml: String { ProfileWriter.toml(mode, description: description, match: match) }
}
