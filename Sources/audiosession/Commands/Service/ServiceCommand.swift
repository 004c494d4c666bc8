import ArgumentParser

/// `service`: the session as a user service.
struct ServiceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "service",
    abstract: "Maintain the session from every login on, as a systemd user service.",
    discussion: """
      The service runs 'audiosession watch': it maintains the profile that was applied last.
      """,
    subcommands: [
      ServiceInstallCommand.self, ServiceUninstallCommand.self, ServiceStatusCommand.self,
    ],
    defaultSubcommand: ServiceStatusCommand.self)

  /// The unit is for the environment's server, so options cannot choose another one.
  static func validate(_ options: GlobalOptions) throws {
    guard options.server == nil, !options.sandbox else {
      throw ValidationError(
        "the service maintains the environment's server; leave --server and --sandbox out")
    }
  }
}
