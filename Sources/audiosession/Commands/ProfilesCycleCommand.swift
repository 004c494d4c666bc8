import ArgumentParser
import AudioSession
import SessionProfiles

struct ProfilesCycleCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "cycle",
    abstract: "Apply the next of the profiles that fit the devices, for a keyboard shortcut.",
    discussion: """
      Takes the profiles of 'profiles detect' in their order; after the last comes the first. One that \
      cannot be applied is left out, with a warning.

      JSON: as of 'apply'.
      """)

  @Flag(help: "Maintain it, as with 'apply'.")
  var keep = false

  var activity: String? { "applying the profile" }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func validate() throws {
    guard !keep || !options.sandbox else {
      throw ValidationError("--keep is for a server that stays; leave --sandbox out")
    }
  }

  func run(_ context: Context) async throws -> Status {
    let reading = try ProfileInventory.whole()
    let (snapshot, state) = try await context.withSession { session in
      (try await session.snapshot(), try await session.getSessionState())
    }
    let detection = ProfileDetection(reading.readable, in: snapshot)
    for broken in reading.broken { context.output.warning("left out: \(broken.mistake)") }
    guard var next = detection.next(after: state.profile) else {
      throw SessionError(
        .profileNotFound, stage: .configuration,
        "no profile fits the devices; 'audiosession profiles detect' shows why")
    }
    var tried: Set<String> = []
    while true {
      context.output.note("profile \(next)")
      var apply = try ApplyCommand.parse(["--", next])
      apply.keep = keep
      apply.options = options
      do {
        return try await apply.run(context)
      } catch let error as SessionError
        where Status(error) == .machineCannot || error.code == .refused
      {
        tried.insert(next)
        guard let other = detection.next(after: next), !tried.contains(other) else { throw error }
        context.output.warning("the profile '\(next)' is left out: \(error.message)")
        next = other
      }
    }
  }
}
