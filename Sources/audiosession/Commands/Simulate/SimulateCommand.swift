import ArgumentParser

/// `sandbox simulate`: faults in a sandbox.
struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Cause a fault in the sandbox that this runs in.",
    discussion: """
      Does what users and systems do to an audio setup: pull a plug, crash, freeze, change a setting \
      repeatedly, take a call. It works only inside a sandbox: a real server is never touched.

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
