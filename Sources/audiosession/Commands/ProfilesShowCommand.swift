import ArgumentParser
import AudioSession
import SessionProfiles

struct ProfilesShowCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print a profile in full, with what it extends, as a file that can be saved.",
    discussion: """
      JSON: schema, name, description, source, extends, mode (as the library encodes it), toml.
      """)

  @Argument(
    help: "The name of a profile, or the path of its file.", completion: Completion.profile)
  var profile: String

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func run(_ context: Context) async throws -> Status {
    let found = try Profile.found(profile)
    return try context.output.result(ProfileJSON(found)) { _ in
      ProfilesView.lines(found, dropIns: Profile.dropIns(of: profile))
    }
  }
}
