import ArgumentParser

/// `profiles`: what files and the program offer to apply.
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
