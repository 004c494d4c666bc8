import ArgumentParser
import AudioSession
import JSONCoding
import SessionProfiles

struct PlanCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Show what applying a profile would change, and what cannot be met.",
    discussion: """
      Changes nothing. With -v each step has its reason.

      JSON: schema; steps: phase, name (the property of the session), object and property (of the \
      server), from, to, deferred, why; unmet: property, verdict, reason; left.
      """)

  @Argument(
    help: "The name of a profile, or the path of its file.", completion: Completion.profile)
  var profile: String

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  mutating func setPlain(_ operands: [String]) -> Bool {
    profile = operands.first ?? ""
    return operands.count == 1
  }

  func run(_ context: Context) async throws -> Status {
    try await Self.plan(Profile.found(profile).mode, context)
  }

  /// Prints the plan; `apply --dry-run` uses it, too.
  static func plan(_ mode: AudioMode, _ context: Context) async throws -> Status {
    let (plan, snapshot) = try await context.withSession { session in
      (try await session.plan(for: mode), await session.lastSnapshot)
    }
    let showsReasons = context.options.verbose > 0
    return try context.output.result(json: [
      "steps": plan.items, "unmet": plan.unmet, "left": plan.left,
    ]) {
      PlanView.lines(
        plan, width: $0, showsReasons: showsReasons, names: context.names(snapshot))
    }
  }
}
