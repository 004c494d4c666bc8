import AudioSession
import JSONCoding
import SessionProfiles

struct ProfileJSON: EncodableWithNulls {
  let schema = 1
  let name: String
  let description: String?
  let source: String
  let extends: String?
  let mode: AudioMode
  let toml: String

  init(_ profile: Profile) {
    name = profile.name
    description = profile.description
    source = profile.source.description
    extends = profile.extends
    mode = profile.mode
    toml = profile.toml
  }
}

extension Profile {
  /// The profile in full, as a file.
  var toml: String { ProfileWriter.toml(mode, description: description, match: match) }
}
