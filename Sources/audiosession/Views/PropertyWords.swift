import AudioSession

/// Properties and their values in the words that people read.
enum PropertyWords {
  /// `preferredInput` as `preferred input`.
  static func label(_ property: Property) -> String { label(property.rawValue) }

  /// `deadChannel` as `dead channel`.
  static func label(_ name: String) -> String {
    var result = ""
    for character in name {
      if character.isUppercase {
        result += " " + character.lowercased()
      } else {
        result.append(character)
      }
    }
    return result.hasPrefix("io ") ? "IO" + result.dropFirst(2) : result
  }

  /// A value with its unit: `48000 Hz`, `10 ms`, `80 %`.
  static func text(_ value: StateValue?, of property: Property?) -> String {
    switch value {
    case nil: "-"
    case .string(let word): word
    case .strings(let words): words.isEmpty ? "none" : words.joined(separator: ", ")
    case .flag(let flag): flag ? "yes" : "no"
    case .number(let number): self.number(number, of: property)
    }
  }

  private static func number(_ number: Double, of property: Property?) -> String {
    // A server may report any number of microseconds, even one that overflows.
    let number = number.isFinite ? max(-1e12, min(1e12, number)) : 0
    return switch property {
    case .sampleRate: "\(Int(number)) Hz"
    case .ioBufferDuration, .inputLatencyOffset, .outputLatencyOffset:
      SettingValue.duration(.microseconds(Int64((number * 1_000_000).rounded()))).description
    case .inputGain, .outputVolume: Volume(fraction: number).description
    default: "\(number)"
    }
  }
}

extension Verdict {
  /// Green: met; yellow: may still be met; red: will not be met.
  var style: Style {
    switch self {
    case .applied: .green
    case .pending, .overridden: .yellow
    case .unreachable, .refused: .red
    case .unset: .dim
    }
  }

  /// The verdict's text; `-` without a preference.
  var word: String { self == .unset ? "-" : rawValue }
}
