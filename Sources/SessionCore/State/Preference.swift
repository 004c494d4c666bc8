public import PulseTypes

/// The preferred and the actual value of a property, in its own type.
public struct Preference<Value: Sendable & Hashable>: Sendable, Hashable {
  /// The preferred value; nil without a preference.
  public var preferred: Value?
  /// The actual value; nil if it is unknown.
  public var actual: Value?
  /// Whether the preference is in effect.
  public var verdict: Verdict
  /// Why not; nil when applied or unset.
  public var reason: String?
}

extension SessionState {
  /// The sample rate in Hz.
  public var sampleRate: Preference<Int> {
    typed(.sampleRate) { $0.number.flatMap(Int.init(exactly:)) }
  }

  /// The IO buffer duration.
  public var ioBufferDuration: Preference<Duration> {
    typed(.ioBufferDuration) { $0.number.map { Duration(saturatingSeconds: $0) } }
  }

  /// The gain of the input that programs get, with that of the session's own devices; to the hundredth of a
  /// percent.
  public var inputGain: Preference<Volume> {
    typed(.inputGain) { $0.number.map(Volume.init(fraction:)) }
  }

  /// The volume of the output, with that of the session's own devices; to the hundredth of a percent.
  public var outputVolume: Preference<Volume> {
    typed(.outputVolume) { $0.number.map(Volume.init(fraction:)) }
  }

  /// The mute of the hardware input.
  public var inputMuted: Preference<Bool> { typed(.inputMuted) { $0.flag } }

  /// The mute of the hardware output.
  public var outputMuted: Preference<Bool> { typed(.outputMuted) { $0.flag } }

  private func typed<Value>(
    _ property: Property, _ value: (StateValue) -> Value?
  ) -> Preference<Value> {
    let report = properties[property]
    return Preference(
      preferred: report?.preferred.flatMap(value), actual: report?.actual.flatMap(value),
      verdict: report?.verdict ?? .unset, reason: report?.reason)
  }
}

extension StateValue {
  fileprivate var number: Double? { if case .number(let number) = self { number } else { nil } }
  fileprivate var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
}
