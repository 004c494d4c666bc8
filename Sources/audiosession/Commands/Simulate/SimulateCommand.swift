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
      FaultCommand<PlugFault>.self, FaultCommand<UnplugFault>.self,
      FaultCommand<SuspendFault>.self, FaultCommand<ResumeFault>.self,
      FaultCommand<InterruptFault>.self, FaultCommand<CompeteFault>.self,
      FaultCommand<KillFault>.self, FaultCommand<RestartFault>.self,
      FaultCommand<ResetFault>.self, FaultCommand<FreezeFault>.self,
      FaultCommand<ThawFault>.self,
    ])
}
