/// Why a plan is made.
package enum Occasion: String, Sendable, Hashable, Codable {
  /// A user or program asked for it: the whole mode counts.
  case asked
  /// The server restarted without our changes: the whole mode counts, but no input is unmuted.
  case reset
  /// Something has changed: levels count only if they are locked, and no input is unmuted.
  case upkeep
  /// The holder ends: its effect on other programs is undone, and nothing else.
  case leaving
}
