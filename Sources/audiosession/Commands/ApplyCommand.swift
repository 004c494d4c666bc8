import ArgumentParser
import AudioSession
import SessionProfiles

/// `apply PROFILE`
struct ApplyCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Make the audio setup as a profile says, and read it back.",
    discussion: """
      All or nothing: what cannot be met is an error, and what was before is restored. Sample rate \
      and IO buffer are hints: unmet, they are a warning.

      Where a process holds the session ('watch', the service, a program), it does the work and \
      goes on keeping it. Without one, hints are granted while applying only, and nobody looks after \
      a channel map: --keep has it kept.

      JSON: schema; steps, as of 'plan' with outcome (applied, alreadySo, notGranted, refused, \
      dropped) and detail; properties, as of 'state'; unmet; left; notes.
      """)

  @Argument(
    help: "The name of a profile, or the path of its file.", completion: Completion.profile)
  var profile: String

  @Flag(help: "Only print the plan.")
  var dryRun = false

  @Flag(help: "Apply what can be applied; 3 is the exit code if that was not all.")
  var bestEffort = false

  @Flag(help: "Fail where a hint is not granted.")
  var strict = false

  @Flag(help: "Have it kept: by the service, if installed, else in the background.")
  var keep = false

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func validate() throws {
    guard !(strict && bestEffort) else {
      throw ValidationError("--strict and --best-effort exclude each other; keep one")
    }
    guard !keep || !(options.sandbox || dryRun) else {
      throw ValidationError(
        "--keep is for a server that stays and a profile that is applied; leave "
          + (options.sandbox ? "--sandbox" : "--dry-run") + " out")
    }
  }

  func run(_ context: Context) async throws -> Status {
    let found = try Profile.found(profile)
    var mode = found.mode
    if bestEffort { mode.onFailure = .bestEffort }
    if strict { mode.strict = Set(Hint.allCases) }
    let wish = mode
    guard !dryRun else { return try await PlanCommand.plan(wish, context) }
    let hooks = Hooks(options: options, output: context.output)
    var report = try await context.withSession(hooks: hooks) { session in
      try await Interruption.cancelling {
        try await session.setAudioMode(wish, profile: found.name)
      }
    }
    if keep, report.state.holder == nil {
      try await Keeper(options: options).start()
      report.state = try await context.withSession { try await $0.getSessionState() }
    }
    let output = context.output
    try output.result(ApplyJSON(report)) { ApplyView.lines(report, width: $0) }
    for warning in ApplyNotes.warnings(report.state) { output.warning(warning) }
    for note in ApplyNotes.notes(report.state) { output.note(note) }
    return bestEffort && ApplyNotes.hasUnmetPreferences(report.state) ? .unmet : .done
  }
}
