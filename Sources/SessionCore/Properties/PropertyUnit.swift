import PulseTypes

/// The unit of a property's numbers.
package enum PropertyUnit: Sendable {
  case none, hertz, seconds, volume

  /// A number with its unit: `48000 Hz`, `10 ms`, `80 %`.
  package func text(_ number: Double) -> String {
    // A server may report any number of microseconds, even one that overflows.
    let number = number.isFinite ? max(-1e12, min(1e12, number)) : 0
    return switch self {
    case .none: "\(number)"
    case .hertz: "\(Int(saturating: number)) Hz"
    case .seconds:
      SettingValue.duration(.microseconds(Int64(saturating: number * 1_000_000))).description
    case .volume: Volume(fraction: number).description
    }
  }
}
