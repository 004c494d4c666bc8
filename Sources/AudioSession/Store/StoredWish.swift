import SessionCore

/// Temporary.
enum StoredWish {
  struct W: Codable {
    var mode: AudioMode; var profile: String?; var generation: Int; var isActive: Bool
  }
  static func parse(_ text: String, file: String) throws(SessionError) -> SessionStore.Wish {
    let w = StoreCoding.decode(W.self, Array(text.utf8))!
    return SessionStore.Wish(
      mode: w.mode, profile: w.profile, generation: w.generation, isActive: w.isActive)
  }
  static func text(_ wish: SessionStore.Wish) -> String {
    let w = W(
      mode: wish.mode, profile: wish.profile, generation: wish.generation, isActive: wish.isActive)
    return String(decoding: try! StoreCoding.encode(w), as: UTF8.self)
  }
}
