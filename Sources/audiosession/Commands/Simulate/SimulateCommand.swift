import ArgumentParser

/// `sandbox simulate`: faults in a sandbox.
struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Let something happen to the sandbox this runs inside of.",
    discussion: """
      What users and systems do to an audio setup: pull a plug, crash, freeze, change a setting \
      again and again, take a call. Only ever inside of a sandbox: a real server is never touched.

        audiosession sandbox
        audiosession watch podcast &
        audiosession sandbox simulate reset-media-services

      JSON: schema, fault.
      """,
    subcommands: [
      SimulatePlugCommand.self, SimulateUnplugCommand.self, SimulateSuspendCommand.self,
      SimulateResumeCommand.self, SimulateInterruptCommand.self, SimulateCompeteCommand.self,
      SimulateKillCommand.self, SimulateRestartCommand.self, SimulateResetCommand.self,
      SimulateFreezeCommand.self, SimulateThawCommand.self,
    ])
}
