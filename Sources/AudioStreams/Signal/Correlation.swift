internal import CAudioKernel

/// Finds one sound inside another.
struct Correlation {
  /// The position of the best match in the longer sound.
  struct Match: Sendable, Hashable {
    /// The frame in the longer sound.
    var frame: Int
    /// The similarity there: 1 is equal except for the volume.
    var likeness: Double
  }

  /// The best match, whatever its sign; nil if either sound is empty or silent.
  static func find(_ probe: [Float], in sound: [Float]) -> Match? {
    guard !probe.isEmpty, sound.count >= probe.count else { return nil }
    let own = energy(probe[...])
    let whole = energy(sound[...])
    guard own > 0, whole > 0 else { return nil }
    // Scaled to the other's loudness; otherwise rounding would lose the softer one.
    let scale = (whole / own).squareRoot()
    let products = products(probe.map { Double($0) * scale }, sound)
    // The energy of the part at the current position.
    var here = energy(sound[..<probe.count])
    // A part that is nearly silent matches anything.
    let least = max(own * 1e-8, whole * 1e-12)
    var best: Match?
    for place in 0...(sound.count - probe.count) {
      if here > least {
        let likeness = min(1, abs(products[place]) / (whole * here).squareRoot())
        if likeness > best?.likeness ?? 0 { best = Match(frame: place, likeness: likeness) }
      }
      guard place + probe.count < sound.count else { break }
      here += Double(sound[place + probe.count]) * Double(sound[place + probe.count])
      here = max(0, here - Double(sound[place]) * Double(sound[place]))
    }
    return best
  }

  private static func energy(_ sound: ArraySlice<Float>) -> Double {
    sound.reduce(0) { $0 + Double($1) * Double($1) }
  }

  /// The sum of the products at each position, computed by a Fourier transform.
  private static func products(_ probe: [Double], _ sound: [Float]) -> [Double] {
    var count = 1
    while count < probe.count + sound.count { count *= 2 }
    // Two real signals as one complex one, so that one transform is enough.
    var real = sound.map(Double.init) + [Double](repeating: 0, count: count - sound.count)
    var imaginary = probe + [Double](repeating: 0, count: count - probe.count)
    _ = ak_fourier(&real, &imaginary, count, false)
    var (re, im) = (real, imaginary)
    for line in 0..<count {
      let mirror = (count - line) % count
      let sound = (
        (real[line] + real[mirror]) / 2, (imaginary[line] - imaginary[mirror]) / 2
      )
      let probe = (
        (imaginary[line] + imaginary[mirror]) / 2, (real[mirror] - real[line]) / 2
      )
      re[line] = sound.0 * probe.0 + sound.1 * probe.1
      im[line] = sound.1 * probe.0 - sound.0 * probe.1
    }
    _ = ak_fourier(&re, &im, count, true)
    return re.map { $0 / Double(count) }
  }
}
