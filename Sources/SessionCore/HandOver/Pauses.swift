/// Growing pauses between attempts that no event triggers.
struct Pauses {
  private let longest: Duration
  private var pause = Duration.milliseconds(1)

  init(longest: Duration) { self.longest = longest }

  mutating func next() -> Duration {
    defer { pause = min(pause * 2, longest) }
    return pause
  }
}
