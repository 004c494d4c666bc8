/// A generator whose numbers are the same in every run (splitmix64).
package struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  /// Seeds that follow each other must not give the same numbers shifted by one.
  package init(seed: UInt64) {
    state = seed
    state = next() ^ (seed << 32)
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  package mutating func int(in range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &self)
  }

  /// True one time in so many.
  package mutating func one(in count: Int) -> Bool { int(in: 1...count) == 1 }

  package mutating func pick<Element>(_ list: [Element]) -> Element {
    list.randomElement(using: &self)!
  }

  /// Something of the list one time in so many, or nothing.
  package mutating func maybe<Element>(_ list: [Element], in count: Int = 3) -> Element? {
    one(in: count) ? list.randomElement(using: &self) : nil
  }

  package mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(max(1, limit))) }

  package mutating func chance(_ part: Int, in whole: Int) -> Bool { below(whole) < part }

  package mutating func element<Element>(of elements: [Element]) -> Element {
    elements[below(elements.count)]
  }
}
