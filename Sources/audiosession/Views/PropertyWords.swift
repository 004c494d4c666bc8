import AudioSession

/// Properties and their values in the words that people read.
enum PropertyWords {
  /// `ioBufferDuration` as `IO buffer duration`; also for names that are not properties.
  static func label(_ name: String) -> String {
    Property(rawValue: name)?.row.label ?? Words.spaced(name)
  }

  /// A value with its unit: `48000 Hz`, `10 ms`, `80 %`.
  static func text(_ value: StateValue?, of property: Property?) -> String {
    switch value {
    case nil: "-"
    case .string(let word): word
    case .strings(let words): words.isEmpty ? "none" : words.joined(separator: ", ")
    case .flag(let flag): flag ? "yes" : "no"
    case .number(let number): (property?.row.unit ?? .none).text(number)
    }
  }
}

extension Verdict {
  /// Green: met; amber: may still be met; red: will not be met.
  var style: Style {
    switch self {
    case .applied: .green
    case .pending, .overridden: .amber
    case .unreachable, .refused: .red
    case .unset: .dim
    }
  }

  /// The verdict's text; `-` without a preference.
  var word: String { self == .unset ? "-" : rawValue }
}
