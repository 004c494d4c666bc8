/// Decides when a holder requests settings again that the server refused.
///
/// Pure: time is a parameter. A refusal may end without a change on the server, so it is tried again a
/// few times, after longer and longer pauses; after that only a change causes another attempt.
package struct RefusalBackoff: Sendable, Hashable {
  /// The pause before the first attempt; each further one doubles it.
  package static let firstPause = Duration.seconds(1)
  package static let mostTries = 5

  private var refused: Set<Setting> = []
  private var tries = 0
  private var due: Duration?

  /// Notes the settings that the server refused during a look.
  package mutating func note(_ refused: Set<Setting>, at now: Duration) {
    if refused != self.refused { (tries, due) = (0, nil) }
    self.refused = refused
    if let due, now < due { return }
    due = nil
    guard !refused.isEmpty, tries < Self.mostTries else { return }
    due = now + Self.firstPause * (1 << tries)
    tries += 1
  }

  /// When to look again without a change.
  package func nextEnd(after now: Duration) -> Duration? { due.flatMap { $0 > now ? $0 : nil } }
}
