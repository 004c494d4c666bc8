/// Finds the length of the cycle of PipeWire's graph from the positions of a stream that runs in it.
///
/// A position grows by whole cycles. Positions that are asked for much more often than that show single
/// cycles, and three of them are enough, or two of the expected length. Where answers take longer, on a
/// busy machine or from another one, each step is several cycles, and the cycle is what eight steps have in
/// common; this may be a multiple of it, and must be found twice.
///
/// Pure: time is a parameter, as for ``Pacer``.
package struct CycleMeter: Sendable {
  /// How long to wait before the next position.
  package private(set) var pause: Duration
  /// The duration of the cycle; nil until it is known.
  package private(set) var cycle: Duration?
  /// Whether it was seen by itself, and is no multiple.
  package var isSingle: Bool { singleCycle != nil }

  private let rate: Int
  private let expected: Duration
  private var last: (position: Int64, asked: Duration)?
  private var steps: [Step] = []
  private var count = 0
  private var standstills = 0
  /// Whether answers take longer than a part of a cycle.
  private var isSlow = false

  private struct Step {
    var frames: Int
    var isSingle: Bool
  }

  private static let shortest = Duration.microseconds(100)
  private static let longest = Duration.milliseconds(20)

  /// - Parameters:
  ///   - rate: the stream's rate, in which its positions are counted, Hz.
  ///   - expected: how long a cycle probably is.
  package init(rate: Int, expected: Duration) {
    (self.rate, self.expected) = (rate, expected)
    pause = min(max(expected / 8, Self.shortest), Self.longest)
  }

  /// Whether to continue, after a time: a stream may take a second until it runs, and where answers are slow
  /// the steps are awaited all the same.
  package func isWorthwhile(after time: Duration) -> Bool {
    cycle == nil && (time < .seconds(1) + expected * 8 || (1..<16).contains(count))
  }

  /// Notes a position in frames, and when it was asked for and answered.
  package mutating func note(_ position: Int64, asked: Duration, answered: Duration) {
    defer { last = (position, asked) }
    guard let last else { return }
    let (distance, isFar) = position.subtractingReportingOverflow(last.position)
    // What a server tells may be anything.
    guard !isFar, distance >= 0, distance < 1 << 32, let frames = Int(exactly: distance) else {
      steps = []
      return
    }
    guard frames > 0 else {
      standstills += 1
      // The cycle is much longer than was expected.
      if standstills > 16 { pause = min(pause * 2, Self.longest) }
      return
    }
    standstills = 0
    count += 1
    let length = Graph.duration(frames: frames, rate: rate)
    // Two cycles cannot end within half of their time.
    let isSingle = (answered - last.asked) * 2 < length
    steps = steps.suffix(7) + [Step(frames: frames, isSingle: isSingle)]
    if !isSingle {
      if !isSlow, pause > max(Self.shortest, answered - asked) {
        // The cycle is much shorter than was expected.
        pause = max(pause / 2, Self.shortest)
        steps = []
      } else {
        isSlow = true
        // Uneven pauses show uneven numbers of cycles.
        pause = min(expected, length) / 4 * (1 + count % 3 * 2)
      }
    }
    cycle = singleCycle ?? commonCycle
  }

  /// The cycle that the last three steps were, or the last two, if it is the expected one.
  private var singleCycle: Duration? {
    let isAsExpected = steps.suffix(2).allSatisfy { step in
      !differs(Graph.duration(frames: step.frames, rate: rate), expected)
    }
    let number = isAsExpected ? 2 : 3
    let singles = steps.suffix(number).filter(\.isSingle).map(\.frames)
    guard singles.count == number, let least = singles.min(), let most = singles.max(),
      most - least <= 1
    else { return nil }
    // In a graph of another rate a cycle is no whole number of the stream's frames.
    return Graph.duration(frames: singles.reduce(0, +), rate: rate * number)
  }

  /// What different numbers of cycles have in common.
  private var commonCycle: Duration? {
    guard steps.count == 8 else { return nil }
    let unit = steps.map(\.frames).reduce(0, Self.commonDivisor)
    guard unit >= 8 else { return nil }
    let numbers = steps.map { ($0.frames + unit / 2) / unit }
    guard Set(numbers).count > 1 else { return nil }
    let (frames, number) = (steps.map(\.frames).reduce(0, +), numbers.reduce(0, +))
    return Graph.duration(frames: frames, rate: rate * number)
  }

  /// The greatest common divisor of numbers that are exact to a frame or two.
  private static func commonDivisor(_ a: Int, _ b: Int) -> Int {
    var (a, b) = (max(a, b), min(a, b))
    while b > 3 {
      let rest = a % b
      (a, b) = (b, min(rest, b - rest))
    }
    return a
  }

  /// Whether two cycles differ by more than a frame, which is how exactly positions are counted.
  package func differs(_ cycle: Duration, _ former: Duration?) -> Bool {
    guard let former else { return true }
    let frame = Graph.duration(frames: 1, rate: rate)
    return cycle > former + frame || cycle < former - frame
  }
}
