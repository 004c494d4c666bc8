import SessionCore
import SessionProfiles

/// The mode as a profile file with an additional table `[session]`, for the session alone.
enum StoredWish {
  static func parse(_ text: String, file: String) throws(SessionError) -> SessionStore.Wish {
    let parsed: ParsedProfile
    do throws(SessionError) {
      parsed = try Profile.parseStored(text, name: "wish", file: file)
    } catch {
      throw damage(file, error.message)
    }
    // A truncated file would read as a mode with fewer preferences.
    guard let session = parsed.session, let generation = session.numbers["generation"],
      let active = session.numbers["active"]
    else { throw damage(file, "its [session] table is missing or incomplete") }
    return SessionStore.Wish(
      mode: parsed.mode, profile: session.profile, generation: generation, isActive: active != 0)
  }

  private static func damage(_ file: String, _ reason: String) -> SessionError {
    SessionError(
      .storeFailed, stage: .session,
      "\(file) is damaged (\(reason)): the applied mode is not known; apply a profile again",
      value: file)
  }

  static func text(_ wish: SessionStore.Wish) -> String {
    ProfileWriter.toml(
      wish.mode, profile: wish.profile,
      extra: [("generation", wish.generation), ("active", wish.isActive ? 1 : 0)])
  }
}
