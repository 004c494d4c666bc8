import ArgumentParser
import AudioSession
import PulseTypes
import SessionProfiles

struct VerifyCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Record, and measure whether the settings are in effect.",
    discussion: """
      Records the session's input and measures: the sample rate (frames counted against the clock, \
      within 0.1 % or the uncertainty of the measurement, which a longer --duration reduces), the \
      buffer (the frames that arrive at once, within 20 %), which hardware channel each channel is, \
      and whether a channel is silent (-90 dB), dead, the same as another (-60 dB), clipped (3 \
      samples) or off zero (1 %). The exit status is 0 if every check passes, 3 if one does not.

      With a profile: applies it, holds it while measuring, and leaves it applied unless you add \
      --revert, which lists what it restored. Without a profile nothing is changed.

      With --sandbox, on a server without an output to hardware or a network, and elsewhere with \
      --play, it then plays a short sweep on each channel of the output, at -18 dB, and records it.

      JSON: schema; device; checks: check, wanted, claimed (by the server), measured, \
      uncertainty, ok, detail. Rates are Hz, durations seconds.
      """)

  @Argument(
    help: "The name of a profile, or the path of its file. (default: change nothing)",
    completion: Completion.profile)
  var profile: String?

  @Flag(help: "At the end, restore the settings from before the first apply.")
  var revert = false

  @Flag(help: "Play the sweep also where it can be heard.")
  var play = false

  @Option(help: ArgumentHelp("How long to record.", valueName: "time"))
  var duration = TimeLimit(argument: "2s")!

  var activity: String? { "recording, and measuring the sound" }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func validate() throws {
    guard !revert || profile != nil else {
      throw ValidationError(
        "--revert needs a profile: without one nothing is changed; "
          + "'audiosession revert' restores what an earlier apply changed")
    }
    guard duration.duration < .milliseconds(500) || duration.duration > .seconds(600) else {
      return
    }
    throw ValidationError("--duration is \(duration); it must be 500ms to 10m")
  }

  func run(_ context: Context) async throws -> Status {
    let found = try profile.map { try Profile.found($0) }
    // Beside a process that maintains the session, that one applies and holds; this one measures.
    let isMaintained =
      options.sandbox ? false : try await context.withSession { try await $0.holder() != nil }
    let (report, restored, snapshot) = try await context.withSession(isHolding: !isMaintained) {
      session in
      try await Interruption.cancelling {
        if let found { try await session.setAudioMode(found.mode, profile: found.name) }
        let report: VerifyReport
        let snapshot: ServerSnapshot?
        do {
          report = try await Verification(
            session: session, time: duration.duration, isPrivate: options.sandbox, playsAloud: play
          ).run()
          snapshot = try? await session.snapshot()
        } catch {
          // The error of a cancelled stream describes the stream, not the cancellation.
          let cause: any Error = Task.isCancelled ? CancellationError() : error
          throw found == nil ? cause : await failed(cause, session, context.output)
        }
        return (report, try await end(session, context.output), snapshot)
      }
    }
    let names = context.names(snapshot)
    try context.output.result(report) { width in
      VerifyView.lines(
        report, restored: restored.map { RevertView.steps($0, width: width, names: names) },
        width: width, names: names)
    }
    if let found, restored == nil, !options.sandbox {
      let command = Words.command("audiosession revert", on: options.server)
      context.output.note(
        "the profile '\(found.name)' stays applied; to restore the former settings: \(command)")
    }
    return restored?.revertStatus ?? (report.isAsWanted ? .done : .unmet)
  }

  /// Restores the former settings with --revert; nil without it.
  ///
  /// In a task of its own: a signal may have cancelled this one, which sends no request any more.
  private func end(_ session: AudioSession, _ output: Output) async throws -> ApplyReport? {
    guard revert else { return nil }
    let report = try await Task { try await session.revert() }.value
    for note in report.left { output.warning(note) }
    try report.checkRecorded()
    return report
  }

  /// The failure of a measurement, with what is in effect now: the profile, or the former settings.
  private func failed(
    _ cause: any Error, _ session: AudioSession, _ output: Output
  ) async -> any Error {
    let failure = Failure(cause)
    // The server of --sandbox ends with this command.
    guard failure.status != .bug, !options.sandbox else {
      _ = try? await end(session, output)
      return cause
    }
    let command = Words.command("audiosession revert", on: options.server)
    var error = failure.error
    do {
      guard let report = try await end(session, output) else {
        error.restored = false
        error.message += "; the profile stays applied; to restore the former settings: \(command)"
        return error
      }
      error.restored = !report.isRefused
      error.message += "; the former settings are restored" + (report.isRefused ? " in part" : "")
    } catch let failed {
      error.restored = false
      error.message +=
        "; the former settings could not be restored (\(Failure(failed).error.message)); "
        + "to try again: \(command)"
    }
    return error
  }
}
