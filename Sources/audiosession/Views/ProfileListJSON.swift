import AudioSession
import JSONCoding
import SessionProfiles

struct ProfileListJSON: Encodable {
  struct Item: EncodableWithNulls {
    let name: String
    let description: String?
    let source: String
    let error: ErrorBody?
  }

  let schema = 1
  let profiles: [Item]

  init(_ profiles: [ProfileListing]) {
    self.profiles = profiles.map {
      Item(
        name: $0.name, description: $0.description, source: $0.source.description,
        error: $0.error.map(ErrorBody.init))
    }
  }
}
