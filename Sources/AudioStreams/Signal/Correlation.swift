internal import CAudioKernel

/// Finds one sound inside another.
struct Correlation {
  /// Where in the longer sound the shorter one fits best.
  struct Match: Sendable, Hashable {
    /// Frames from the longer sound's begin.
    var frame: Int
    /// How alike they are there: 1 is the same at some volume.
    var likeness: Double
  }

  /// The best match, whatever its sign; nil where either sound is empty or silent.
  static func find(_ probe: [Float], in sound: [Float]) -> Match? {
    guard !probe.isEmpty, sound.count >= probe.count else { return nil }
    let products = products(probe, sound)
    let own = probe.reduce(0.0) { $0 + Double($1) * Double($1) }
    guard own > 0 else { return nil }
    // The energy of the part of the sound that each place would match.
    var energy = sound[..<probe.count].reduce(0.0) { $0 + Double($1) * Double($1) }
    // A part that is nearly silent is like anything.
    let least = own * 1e-8
    var best: Match?
    for place in 0...(sound.count - probe.count) {
      if energy > least {
        let likeness = abs(products[place]) / (own * energy).squareRoot()
        if likeness > best?.likeness ?? 0 { best = Match(frame: place, likeness: likeness) }
      }
      guard place + probe.count < sound.count else { break }
      energy += Double(sound[place + probe.count]) * Double(sound[place + probe.count])
      energy = max(0, energy - Double(sound[place]) * Double(sound[place]))
    }
    return best
  }

  /// The sum of the products at each place, by way of the Fourier transform.
  private static func products(_ probe: [Float], _ sound: [Float]) -> [Double] {
    var count = 1
    while count < probe.count + sound.count { count *= 2 }
    // Two real sounds as one complex one: one transform does for both.
    var real = sound.map(Double.init) + [Double](repeating: 0, count: count - sound.count)
    var imaginary = probe.map(Double.init) + [Double](repeating: 0, count: count - probe.count)
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
