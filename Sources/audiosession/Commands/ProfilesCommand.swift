import ArgumentParser

/// `profiles`: the profiles from files and from the program.
struct ProfilesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profiles",
    abstract: "List, show, check, save, edit and choose profiles.",
    subcommands: [
      ProfilesListCommand.self, ProfilesShowCommand.self, ProfilesCheckCommand.self,
      ProfilesSaveCommand.self, ProfilesDetectCommand.self, ProfilesEditCommand.self,
      ProfilesCycleCommand.self,
    ],
    defaultSubcommand: ProfilesListCommand.self)
}
