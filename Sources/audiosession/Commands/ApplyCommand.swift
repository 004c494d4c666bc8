import ArgumentParser
import AudioSession
import JSONCoding
import SessionProfiles

struct ApplyCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Apply a profile, and read every setting back.",
    discussion: """
      All or nothing: if a preference cannot be met, nothing is changed; if a step fails, the former \
      settings are restored. Sample rate and IO buffer are hints: unmet, they are a warning, unless \
      the profile's 'strict' names them, or with --strict.

      If a process maintains the session ('watch', the service, a program), it applies the profile \
      and maintains it. Otherwise nothing is maintained when this command ends: the IO buffer is no \
      longer held, and a channel map is not rebuilt after a replug. Use --keep for that.

      JSON: schema; steps, as of 'plan' with outcome (applied, alreadySo, notGranted, refused, \
      dropped) and detail; properties, as of 'state'; unmet; left; notes. With --dry-run as of 'plan'.
      """)

  @Argument(
    help: "The name of a profile, or the path of its file.", completion: Completion.profile)
  var profile: String

  @Flag(help: "Print the plan only.")
  var dryRun = false

  @Flag(
    help: "Apply what can be applied; exit with status 3 if a preference is unmet that is no hint.")
  var bestEffort = false

  @Flag(help: "Fail if a hint is not granted.")
  var strict = false

  @Flag(help: "Maintain it: by the service, if installed, else by a background process.")
  var keep = false

  var activity: String? { dryRun ? "planning" : "applying the profile" }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func validate() throws {
    guard !(strict && bestEffort) else {
      throw ValidationError("--strict and --best-effort exclude each other; keep one")
    }
    guard !keep || !(options.sandbox || dryRun) else {
      throw ValidationError(
        "--keep maintains an applied profile, and "
          + (options.sandbox
            ? "the server of --sandbox ends with this command; use 'audiosession sandbox'"
            : "--dry-run applies nothing; leave one of them out"))
    }
  }

  mutating func setPlain(_ operands: [String]) -> Bool {
    profile = operands.first ?? ""
    (dryRun, bestEffort, strict, keep) = (false, false, false, false)
    return operands.count == 1
  }

  func run(_ context: Context) async throws -> Status {
    let found = try Profile.found(profile)
    var mode = found.mode
    if bestEffort { mode.onFailure = .bestEffort }
    if strict { mode.strict = Set(Hint.allCases) }
    let applied = mode
    guard !dryRun else { return try await PlanCommand.plan(applied, context) }
    let hooks = Hooks(options: options, output: context.output)
    var (report, snapshot) = try await context.withSession(hooks: hooks) { session in
      let report = try await Interruption.cancelling {
        try await session.setAudioMode(applied, profile: found.name)
      }
      // A holder that carried it out has changed the server since this session read it.
      let isOwn = report.state.holder == nil
      return (report, isOwn ? await session.lastSnapshot : try? await session.snapshot())
    }
    let waiting = Property.reported.filter {
      !Hint.properties.contains($0) && report.state.properties[$0]?.waitingFor == .holder
    }
    var met: [Property] = []
    if keep, report.state.holder == nil {
      (report.state, snapshot) = try await Interruption.cancelling {
        try await BackgroundHolder(options: options) {
          (try? await context.withSession { try await $0.holder()?.pid }) ?? nil
        }.start()
        return try await context.withSession { session in
          (try await session.getSessionState(), await session.lastSnapshot)
        }
      }
      // The holder has met what waited for one.
      let properties = report.state.properties
      report.unmet.removeAll { properties[$0.property]?.verdict == .applied }
      met = waiting.filter { properties[$0]?.verdict == .applied }
    }
    let output = context.output
    let names = context.names(snapshot)
    var notes = options.sandbox ? [] : ApplyNotes.notes(report.state)
    if !met.isEmpty {
      let names = Words.list(met.map(\.row.label))
      let verb = met.count == 1 ? "changes" : "change"
      notes.append("what \(names) \(verb) was set when the holder began, and is not listed here")
    }
    try output.result(json: [
      "steps": report.items, "properties": report.state.properties.json, "unmet": report.unmet,
      "left": report.left, "notes": notes,
    ]) { ApplyView.lines(report, on: options.server, width: $0, names: names) }
    for warning in ApplyNotes.warnings(report.state) { output.warning(names.text(warning)) }
    for note in notes { output.note(note) }
    let isPartial =
      applied.onFailure == .bestEffort && ApplyNotes.hasUnmetPreferences(report.state)
    return isPartial ? .unmet : .done
  }
}
