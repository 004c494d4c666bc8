import ArgumentParser
import AudioSession
import AudioStreams
import SessionProfiles

/// `verify [PROFILE]`
struct VerifyCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Prove with sound that the setup is what it says.",
    discussion: """
      Records the session's input and measures: the sample rate (frames counted against the clock, \
      within 0.1 %), the buffer (what comes at once, within 20 %), which hardware channel each \
      channel is, and whether a channel is silent (-90 dB), dead, the same as another (-60 dB), \
      clipped (3 samples) or off zero (1 %). The exit code is 0 when all is as wanted, 3 when \
      something differs.

      With a profile, that is applied first, held while measuring, and stays applied unless \
      --revert is given. Without one nothing is changed.

      Where nobody hears it (a sandbox, an output that is no hardware), and elsewhere with --play, \
      it plays a short sweep on each channel of the output, at -18 dB, and measures its way back.

      JSON: schema; device; checks: check, wanted, claimed (by the server), measured, \
      uncertainty, ok, detail. Rates are Hz, durations seconds.
      """)

  @Argument(
    help: "The name of a profile, or the path of its file; none changes nothing.",
    completion: Completion.profile)
  var profile: String?

  @Flag(help: "Restore what was before the first apply when it ends.")
  var revert = false

  @Flag(help: "Play on an output that people hear as well.")
  var play = false

  @Option(help: ArgumentHelp("For how long to record.", valueName: "time"))
  var duration = TimeLimit(argument: "2s")!

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func validate() throws {
    guard duration.duration < .milliseconds(500) || duration.duration > .seconds(600) else {
      return
    }
    throw ValidationError("--duration is \(duration); it must be 500ms to 10m")
  }

  func run(_ context: Context) async throws -> Status {
    let found = try profile.map { try Profile.found($0) }
    let report = try await context.withSession(isHolding: true) { session in
      try await Interruption.cancelling {
        if let found { try await session.setAudioMode(found.mode, profile: found.name) }
        do {
          let report = try await Verification(
            session: session, mode: found?.mode, time: duration.duration,
            isPrivate: options.sandbox, playsAloud: play
          ).run()
          try await end(session)
          return report
        } catch {
          try? await end(session)
          // The error of a cancelled stream describes the stream, not the cancellation.
          throw Task.isCancelled ? CancellationError() : error
        }
      }
    }
    try context.output.result(report) { VerifyView.lines(report, width: $0) }
    return report.isAsWanted ? .done : .unmet
  }

  private func end(_ session: AudioSession) async throws {
    if revert { try await session.revert() }
  }
}
