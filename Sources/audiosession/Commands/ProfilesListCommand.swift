import ArgumentParser
import AudioSession
import JSONCoding
import SessionProfiles

struct ProfilesListCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the profiles that 'apply' finds by name.",
    discussion: """
      The exit status is 77 if a folder of profiles may not be read; the others are listed.

      JSON: schema; profiles: name, description, source (a path, or "built-in"), error (null, or \
      code, message, property, value, alternatives, restored).
      """)

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  mutating func setPlain(_ operands: [String]) -> Bool { operands.isEmpty }

  func run(_ context: Context) async throws -> Status {
    let reading = ProfileInventory()
    let profiles = reading.listings.map { profile -> JSONObject in
      [
        "name": profile.name, "description": profile.description,
        "source": profile.source.description, "error": profile.error.map(ErrorBody.init),
      ]
    }
    try context.output.result(json: ["profiles": profiles]) {
      ProfilesView.lines(reading.listings, width: $0)
    }
    let statuses = reading.unreadable.map(context.output.complain)
    return statuses.first ?? .done
  }
}
