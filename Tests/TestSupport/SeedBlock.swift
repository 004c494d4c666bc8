internal import POSIX

/// A twentieth of the seeds that a test goes through: the cases of a test run side by side.
package struct SeedBlock: Sendable, CustomStringConvertible {
  package let seeds: Range<UInt64>

  /// How much longer a search is asked for, by `.ci/nightly seeds`.
  package static let factor =
    ProcessEnvironment["AUDIOSESSION_SEED_FACTOR"].flatMap(Int.init) ?? 1

  /// All blocks of a test, with so many seeds together.
  package static func all(_ count: Int) -> [SeedBlock] {
    let each = UInt64(max(count / 20 * factor, 1))
    return (0..<20).map { SeedBlock(seeds: $0 * each..<($0 + 1) * each) }
  }

  package var description: String { "\(seeds)" }
}
