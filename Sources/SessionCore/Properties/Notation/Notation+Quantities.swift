import PulseTypes

extension Notation<Volume> {
  /// `"80 %"` or `"-6 dB"`.
  static let volume = Notation { node, label, reading in
    let form = "a string such as \"80 %\" or \"-6 dB\""
    guard let text = node.string, let quantity = Quantity(text), !quantity.unit.isEmpty else {
      return reading.wrongType(node, label, form)
    }
    switch quantity.unit.lowercased() {
    case "%":
      guard !quantity.isNegative || quantity.double == 0 else {
        let message = "\(label.key) is \(Text.visible(text)); it must be 0 % to 300 %"
        return reading.wrongValue(node, label, message)
      }
      return Volume(fraction: quantity.double / 100)
    case "db": return Volume(decibels: quantity.double)
    default:
      let unit = Text.visible(quantity.unit)
      return reading.wrongValue(
        node, label,
        "\(label.key) has the unknown unit \"\(unit)\"; write \"80 %\" or \"-6 dB\"")
    }
  } write: { volume in
    "\"\(percents(volume)) %\""
  }

  /// The fewest decimals that still mean the same volume.
  private static func percents(_ volume: Volume) -> String {
    var scale = 1.0
    var result = ""
    for decimals in 0...6 {
      let number = Int(saturating: volume.fraction * 100 * scale)
      result = Decimals.text(number, decimals: decimals)
      if let quantity = Quantity(result), Volume(fraction: quantity.double / 100) == volume {
        break
      }
      scale *= 10
    }
    return result
  }
}

extension Notation<Duration> {
  /// A latency offset: `"0 ms"`, `"-20 ms"`.
  static let offset = Notation { node, label, reading in
    let form = "a string with a unit of time, such as \"20 ms\" or \"-0.02 s\""
    guard let text = node.string, let quantity = Quantity(text), !quantity.unit.isEmpty else {
      return reading.wrongType(node, label, form)
    }
    return TimeUnit.read(quantity, node, label, &reading, alsoFrames: false)
  } write: {
    "\"\(TimeUnit.text($0))\""
  }
}

extension Notation<BufferDuration> {
  /// `"10 ms"`, `"0.01 s"` or `"256 frames"`.
  static let buffer = Notation { node, label, reading in
    let form = "a string with a unit, such as \"10 ms\", \"0.01 s\" or \"256 frames\""
    guard let text = node.string, let quantity = Quantity(text), !quantity.unit.isEmpty else {
      return reading.wrongType(node, label, form)
    }
    guard ["frames", "frame"].contains(quantity.unit.lowercased()) else {
      return TimeUnit.read(quantity, node, label, &reading, alsoFrames: true)
        .map(BufferDuration.duration)
    }
    // 2 s at the highest rate; the core multiplies, and a larger number could overflow there.
    guard quantity.isWhole, quantity.whole <= 768_000 else {
      return reading.wrongValue(
        node, label,
        "\(label.key) is \(Text.visible(text)); it must be a whole number of frames up to 768000, "
          + "such as \"256 frames\"")
    }
    return .frames(quantity.isNegative ? -quantity.whole : quantity.whole)
  } write: { buffer in
    switch buffer {
    case .frames(let frames): "\"\(frames) frames\""
    case .duration(let duration): "\"\(TimeUnit.text(duration))\""
    }
  }
}

/// The units of time that a profile file may use.
private enum TimeUnit {
  /// The power of ten that converts a unit to attoseconds.
  private static func power(_ unit: String) -> Int? {
    switch unit.lowercased() {
    case "s": 18
    case "ms": 15
    // Two scalars look like this letter; keyboards produce either.
    case "us", "\u{B5}s", "\u{3BC}s": 12
    case "ns": 9
    default: nil
    }
  }

  static func read(
    _ quantity: Quantity, _ node: Node, _ label: Label, _ reading: inout ProfileReading,
    alsoFrames: Bool
  ) -> Duration? {
    guard let power = power(quantity.unit) else {
      return reading.wrongValue(
        node, label,
        "\(label.key) has the unknown unit \"\(Text.visible(quantity.unit))\"; write \"10 ms\", "
          + (alsoFrames ? "\"0.01 s\", \"500 us\" or \"256 frames\"" : "\"0.01 s\" or \"500 us\""))
    }
    let second = Int128(1_000_000_000_000_000_000)
    // A day is beyond any use, and far below where whole microseconds overflow.
    let attoseconds = quantity.scaled(byPowerOfTen: power)
    guard attoseconds.magnitude <= (86_400 * second).magnitude else {
      return reading.wrongValue(node, label, "\(label.key) is \(node.text), which is far too long")
    }
    return Duration(
      secondsComponent: Int64(attoseconds / second),
      attosecondsComponent: Int64(attoseconds % second))
  }

  /// The duration in the largest unit without decimals, otherwise in seconds with all decimals.
  static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let total = Int128(seconds) * 1_000_000_000_000_000_000 + Int128(attoseconds)
    for (unit, scale) in [("ms", Int128(1_000_000_000_000_000)), ("us", 1_000_000_000_000)]
    where total % scale == 0 {
      return "\(total / scale) \(unit)"
    }
    return Decimals.text(total, decimals: 18) + " s"
  }
}

/// Decimal numbers without floating point.
private enum Decimals {
  /// A number whose last digits are decimals, without trailing zeros.
  static func text(_ number: some SignedInteger, decimals: Int) -> String {
    var digits = String(number.magnitude)
    while digits.count <= decimals { digits = "0" + digits }
    var fraction = String(digits.suffix(decimals))
    while fraction.last == "0" { fraction.removeLast() }
    let whole = (number < 0 ? "-" : "") + digits.dropLast(decimals)
    return fraction.isEmpty ? whole : "\(whole).\(fraction)"
  }
}
