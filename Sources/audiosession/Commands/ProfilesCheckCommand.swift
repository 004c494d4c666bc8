import ArgumentParser
import AudioSession
import JSONCoding
import SessionProfiles

struct ProfilesCheckCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Print every mistake in profile files.",
    discussion: """
      Prints FILE:LINE:COLUMN: severity: message, one a line. The exit status is 65 if a file has \
      errors, 66 if there is no such file, 77 if it may not be read.

      JSON: schema; diagnostics: severity, code, message, file, line, column, property, value, \
      alternatives.
      """)

  @Argument(help: "Names of profiles, or paths of files.", completion: Completion.profile)
  var files: [String]

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func run(_ context: Context) async throws -> Status {
    let found = files.flatMap { Profile.check(file: $0) }
    try context.output.result(json: ["diagnostics": found]) { width in
      found.flatMap { ProfilesView.lines($0, width: width) }
    }
    let errors = found.filter { $0.severity == .error }
    guard let worst = errors.first(where: { $0.code != .profileNotFound }) ?? errors.first else {
      return .done
    }
    return Status(worst.sessionError)
  }
}
