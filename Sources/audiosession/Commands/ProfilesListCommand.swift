import ArgumentParser
import AudioSession
import SessionProfiles

struct ProfilesListCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the profiles that 'apply' finds by name.",
    discussion: """
      JSON: schema; profiles: name, description, source (a path, or "built-in"), error (null, or \
      code, message, property, value, alternatives, restored).
      """)

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func run(_ context: Context) async throws -> Status {
    let profiles = Profile.all()
    return try context.output.result(ProfileListJSON(profiles)) {
      ProfilesView.lines(profiles, width: $0)
    }
  }
}
