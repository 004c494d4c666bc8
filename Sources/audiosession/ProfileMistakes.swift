import AudioSession
import POSIX
import SessionProfiles

/// Several problems of a profile.
struct ProfileMistakes: Error {
  /// At least two.
  let all: [ProfileDiagnostic]
  /// What follows from them, for the end of the message.
  var consequence = ""
}

extension ProfileListing {
  /// Why it cannot be used.
  var mistake: String { error?.message ?? name }
}

extension Profile {
  /// Finds and reads a profile for a command; throws all of its problems. A recording, which newcomers
  /// give to 'verify', is none.
  ///
  /// One that was named by its path keeps the path, from the root, as its name: so that whatever
  /// suggests to apply it again works in any folder.
  static func found(_ name: String) throws -> Profile {
    if File.exists(name),
      let ending = RecordCommand.endings.first(where: { name.lowercased().hasSuffix("." + $0) })
    {
      throw SessionError(
        .invalidValue, stage: .configuration,
        "'\(visible(name))' is a .\(ending) file with sound, and this command takes a profile",
        key: "profile", value: name,
        alternatives: [
          "hear it: audiosession play \(Words.quoted(name))",
          "measure the input as it is: audiosession verify",
        ])
    }
    do {
      var profile = try named(name)
      if profile.source == .file(name) { profile.name = File.real(name) ?? name }
      return profile
    } catch {
      let all = problems(name)
      throw all.count > 1 ? ProfileMistakes(all: all) : error
    }
  }
}
