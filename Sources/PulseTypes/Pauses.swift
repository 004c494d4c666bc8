/// Growing pauses between attempts that no event triggers: each is twice as long as the one before it, up to
/// a limit.
package struct Pauses: Sendable {
  private let longest: Duration
  private var pause: Duration

  package init(from first: Duration = .milliseconds(1), upTo longest: Duration) {
    (self.longest, pause) = (longest, first)
  }

  package mutating func next() -> Duration {
    defer { pause = min(pause * 2, longest) }
    return pause
  }
}
