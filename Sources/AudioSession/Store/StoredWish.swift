import SessionCore
import SessionProfiles

/// The wish as a profile file with one table more: `[session]`, for the session alone.
enum StoredWish {
  static func parse(_ text: String, file: String) throws(SessionError) -> SessionStore.Wish {
    do throws(SessionError) {
      let parsed = try Profile.parseStored(text, name: "wish", file: file)
      return SessionStore.Wish(
        mode: parsed.mode, profile: parsed.session?.profile,
        generation: parsed.session?.numbers["generation"] ?? 0,
        isActive: parsed.session?.numbers["active"] != 0)
    } catch {
      throw SessionError(
        .storeFailed, stage: .session,
        "the stored wish is damaged (\(error.message)); apply a profile again to replace it",
        value: file)
    }
  }

  static func text(_ wish: SessionStore.Wish) -> String {
    ProfileWriter.toml(
      wish.mode, profile: wish.profile,
      extra: [("generation", wish.generation), ("active", wish.isActive ? 1 : 0)])
  }
}
