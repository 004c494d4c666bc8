import AudioSession
import SessionProfiles

/// Several problems of a profile.
struct ProfileMistakes: Error {
  /// At least two.
  let all: [ProfileDiagnostic]
}

extension Profile {
  /// Finds and reads a profile for a command; throws all of its problems.
  static func found(_ name: String) throws -> Profile {
    do {
      return try named(name)
    } catch {
      let all = problems(name)
      throw all.count > 1 ? ProfileMistakes(all: all) : error
    }
  }
}
