package import SessionCore

/// Every profile as it is read now, each once.
package struct ProfileInventory: Sendable {
  /// Those without mistakes.
  package private(set) var readable: [Profile] = []
  /// All of them, the broken ones with their errors.
  package private(set) var listings: [ProfileListing] = []
  /// The folders that cannot be read: profiles in them are not known.
  package private(set) var unreadable: [SessionError] = []

  /// Those with mistakes.
  package var broken: [ProfileListing] { listings.filter { $0.error != nil } }

  /// Reads files on the calling thread.
  package init(environment: [String: String] = Profile.processEnvironment) {
    let library = ProfileLibrary(environment: environment)
    let (all, folders) = library.all()
    unreadable = folders.map(\.sessionError)
    for found in all {
      do throws(ProfileDiagnostic) {
        let profile = try ProfileResolver(library: library).resolve(found)
        readable.append(profile)
        listings.append(
          ProfileListing(
            name: found.name, description: profile.description, source: found.source))
      } catch {
        listings.append(
          ProfileListing(name: found.name, source: found.source, error: error.sessionError))
      }
    }
  }

  /// Reads them for a choice between all of them: throws if a folder cannot be read.
  package static func whole() throws(SessionError) -> ProfileInventory {
    let reading = ProfileInventory()
    if let error = reading.unreadable.first { throw error }
    return reading
  }
}
