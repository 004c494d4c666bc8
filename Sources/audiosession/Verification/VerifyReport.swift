import AudioSession
import AudioStreams
import Glibc
import JSONCoding
import PulseTypes
import SessionCore

/// The preferred, reported and measured values.
struct VerifyReport: Encodable {
  struct Check {
    /// The property's name, or the kind of fault.
    var name: String
    var wanted: StateValue?
    var claimed: StateValue?
    var measured: StateValue?
    /// The tolerance of a measured number.
    var uncertainty: Double?
    var isOK: Bool
    var detail: String?
  }

  let schema = 1
  /// The source that was recorded.
  let device: String
  /// Its name for people, with the sound's peak in decibels; not part of the JSON.
  let heard: (name: String, peak: Double?)
  let checks: [Check]

  private enum CodingKeys: String, CodingKey { case schema, device, checks }

  /// Whether nothing differs.
  var isAsWanted: Bool { checks.allSatisfy(\.isOK) }

  /// The greatest relative error of an accurate clock.
  static let rateTolerance = 0.001
  /// Deliveries are multiples of the device's grain.
  static let bufferTolerance = 0.2

  /// Compares the measurement with the state.
  ///
  /// - Parameters:
  ///   - isProcessed: whether an echo canceller changed the hardware's sound.
  ///   - hardware: the channel positions of the recorded hardware.
  ///   - isMonitor: whether an output's monitor was recorded, which may well be silent.
  ///   - output: the channel positions of the output.
  ///   - name: the name of the device for people.
  ///   - silence: why it may be silent, and what to do.
  init(
    state: SessionState, measured: DeviceMeasurement, isProcessed: Bool,
    hardware: [ChannelPosition], isMonitor: Bool, loop: LoopMeasurement?, output: [ChannelPosition],
    name: String, silence: String? = nil
  ) {
    device = measured.device
    let peak = measured.check.levels.map { Double($0.peak) }.max() ?? 0
    heard = (name, isMonitor || peak <= 0 ? nil : 20 * log10(peak))
    let claimed =
      isMonitor ? hardware : state.route.inputs.first?.channelMap ?? hardware
    var checks = [Self.rate(state, measured)]
    if let buffer = Self.buffer(state, measured, isMonitor) { checks.append(buffer) }
    if !isMonitor {
      checks.append(Self.channels(state, measured, isProcessed, hardware, claimed))
      checks += Self.sound(measured.check, claimed, silence)
    }
    checks.append(Self.lost(measured))
    if let loop { checks += Self.loop(loop, output) }
    self.checks = checks + Self.unmet(state)
  }

  private static func rate(_ state: SessionState, _ measured: DeviceMeasurement) -> Check {
    let report = state.properties[.sampleRate]
    let (wanted, claimed) = (report?.preferred, Double(measured.claimedRate))
    var check = Check(
      name: Property.sampleRate.rawValue, wanted: wanted, claimed: .number(claimed), isOK: false,
      detail: report?.reason)
    let expected = if case .number(let number) = wanted { number } else { claimed }
    // What is measured must tell 44,100 from 48,000 Hz.
    guard let rate = measured.rate, rate.uncertainty < expected * 0.04 else {
      check.detail = [
        report?.reason, "too few deliveries came to tell rates apart; a longer --duration helps",
      ].compactMap(\.self).joined(separator: "; ")
      return check
    }
    let tenths = { (value: Double) in (value * 10).rounded() / 10 }
    check.measured = .number(tenths(rate.rate))
    check.isOK = abs(rate.rate - expected) <= max(expected * rateTolerance, rate.uncertainty)
    check.uncertainty = max(0.1, tenths(rate.uncertainty))
    if !check.isOK, check.detail == nil {
      check.detail =
        "the server says \(Int(saturating: claimed)) Hz, and the clock counted others: the device lost sound, as "
        + "with a short buffer on a busy machine, or its clock is off"
    }
    return check
  }

  private static func buffer(
    _ state: SessionState, _ measured: DeviceMeasurement, _ isMonitor: Bool
  ) -> Check? {
    guard let report = state.properties[.ioBufferDuration], let wanted = report.preferred else {
      return nil
    }
    var check = Check(
      name: Property.ioBufferDuration.rawValue, wanted: wanted, claimed: report.actual, isOK: false,
      detail: report.reason)
    guard let buffer = measured.buffer?.seconds, case .number(let preferred) = wanted else {
      check.detail = [report.reason, "too few deliveries came in 2.5 s to measure it"]
        .compactMap(\.self).joined(separator: "; ")
      return check
    }
    check.measured = .number((buffer * 1e6).rounded() / 1e6)
    // What the session reports as the nearest that the server has, such as a power of two.
    let expected =
      if report.verdict == .applied, case .number(let actual)? = report.actual { actual } else {
        preferred
      }
    let allowed = expected * (1 - bufferTolerance)...expected * (1 + bufferTolerance)
    check.isOK = allowed.contains(buffer)
    // PulseAudio fills an output in parts of its buffer, and its monitor delivers those parts; only
    // what the server granted shows that the buffer is not shorter. On PipeWire a monitor delivers whole
    // buffers.
    if isMonitor, buffer < allowed.lowerBound, case .number(let claimed) = report.actual,
      state.capabilities?.latencyReadback != false
    {
      check.isOK = allowed.contains(claimed)
    }
    return check
  }

  private static func lost(_ measured: DeviceMeasurement) -> Check {
    Check(
      name: "lostFrames", measured: .number(Double(measured.lost)), isOK: measured.lost == 0,
      detail: measured.lost == 0
        ? nil
        : "sound was lost, as on a busy machine; a longer "
          + "\(Property.ioBufferDuration.row.key) helps")
  }

  /// The preferences that are not met, but for those that are measured: the hints.
  private static func unmet(_ state: SessionState) -> [Check] {
    Property.reported.compactMap { name in
      guard let report = state.properties[name], report.isUnmet, !Hint.properties.contains(name)
      else { return nil }
      return Check(
        name: name.rawValue, wanted: report.preferred, claimed: report.actual, isOK: false,
        detail: report.reason)
    }
  }
}

extension VerifyReport.Check: EncodableWithNulls {
  private enum CodingKeys: String, CodingKey {
    case name = "check"
    case wanted, claimed, measured, uncertainty
    case isOK = "ok"
    case detail
  }
}
