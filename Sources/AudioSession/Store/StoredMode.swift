import SessionCore
import SessionProfiles

/// The mode of a server in the store: a profile file with an additional table `[session]`.
struct StoredMode: Sendable {
  var mode: AudioMode
  var profile: String?
  var generation: Int
  var isActive: Bool
}

extension StoredMode {
  init(_ text: String, file: String) throws(SessionError) {
    let parsed: ParsedProfile
    do throws(SessionError) {
      parsed = try Profile.parse(text, name: "stored", file: file, allowsSession: true)
    } catch {
      throw Self.damage(file, error.message)
    }
    // A truncated file would read as a mode with fewer preferences.
    guard let session = parsed.session, let generation = session.numbers["generation"],
      let active = session.numbers["active"]
    else { throw Self.damage(file, "its [session] table is missing or incomplete") }
    self.init(
      mode: parsed.mode, profile: session.profile, generation: generation, isActive: active != 0)
  }

  private static func damage(_ file: String, _ reason: String) -> SessionError {
    SessionError(
      .storeFailed, stage: .session,
      "\(file) is damaged (\(reason)): the applied mode is not known; apply a profile again",
      value: file)
  }

  var text: String {
    ProfileWriter.toml(
      mode, profile: profile,
      extra: [("generation", generation), ("active", isActive ? 1 : 0)])
  }
}
