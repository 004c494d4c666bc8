import AudioSession
import AudioStreams
import JSONCoding
import PulseTypes

/// The result of a recording.
struct RecordView {
  let file: String
  let format: RecordingFormat
  let progress: RecordingProgress

  var json: JSONObject {
    [
      "file": file, "seconds": progress.duration.seconds, "channels": progress.channels,
      Property.sampleRate.rawValue: progress.sampleRate, "format": format,
      "frames": progress.frames, "peak": peak, "inputs": progress.inputs,
      "missing": progress.missing, "zeros": progress.zeros,
      "startDelay": progress.startDelay.seconds,
    ]
  }

  private var peak: Double { Double(progress.highestPeak) }

  /// One sentence.
  var summary: String {
    return "\(Self.clock(progress.duration)), \(progress.sampleRate) Hz, "
      + "\(Words.count(progress.channels, "channel")), \(format.rawValue); "
      + "\(level)\(start); \(losses)"
  }

  /// What is missing, or may be.
  private var losses: String {
    let (missing, zeros) = (progress.missing, progress.zeros)
    let lost = missing.reduce(0) { $0 + $1.frames }
    var parts: [String] = []
    if lost > 0 { parts.append("\(lost) frames are silence instead (\(missing.count)×)") }
    if !zeros.isEmpty {
      let frames = zeros.reduce(0) { $0 + $1.frames }
      let time = Self.clock(.seconds(Double(frames) / Double(max(1, progress.sampleRate))))
      parts.append(
        "\(time) amid the sound is zeros (\(zeros.count)×): lost, or the device itself was muted")
    }
    return parts.isEmpty ? "nothing is missing" : parts.joined(separator: "; ")
  }

  /// Nothing for an input that starts as fast as most.
  private var start: String {
    let delay = progress.startDelay
    return delay < .seconds(0.5) ? "" : "; the first sound came after \(Self.clock(delay))"
  }

  private var level: String {
    if progress.frames == 0 { return "no sound" }
    if peak == 0 { return "nothing but silence" }
    let isClipped = peak >= Double(SignalLevel.fullScale)
    return "peak \(MeterFrame.decibels(peak)) dB" + (isClipped ? ", clipped" : "")
  }

  func lines(_ names: DeviceNames, width: Int?) -> [Line] {
    var lines = [Line(file, .bold)] + Layout.wrap(summary, indent: 2, width: width)
    let (inputs, rate) = (progress.inputs, Double(max(1, progress.sampleRate)))
    for input in inputs where inputs.count > 1 {
      let start = Self.clock(.seconds(Double(input.position) / rate))
      lines += Layout.wrap("from \(start)  \(names[input.device])", indent: 2, width: width)
    }
    let hasList = !progress.missing.isEmpty || !progress.zeros.isEmpty || inputs.count > 1
    if hasList, Sidecar.isPossible(for: file) {
      lines.append([Span("  listed in \(file).json")])
    }
    return lines
  }

  /// Time and level during the recording.
  ///
  /// - Parameter left: how much longer there is room.
  static func line(_ progress: RecordingProgress, left: DiskSpace.Room? = nil) -> Line {
    let lost = progress.missing.reduce(0) { $0 + $1.frames }
    return [
      Span("\(clock(progress.duration))  "), Span(decibels(progress.peak)), "  ",
      Span(bar(progress.peak), progress.peak >= SignalLevel.fullScale ? .red : .green),
      Span(lost == 0 ? "" : "  \(lost) frames missing", .amber),
      Span(left.map { "  room for \(room($0.time))" } ?? "", .dim),
    ]
  }

  /// `3 days`, `5 h`, `12 min`.
  static func room(_ duration: Duration) -> String {
    let minutes = duration.components.seconds / 60
    if minutes >= 2 * 24 * 60 { return "\(minutes / (24 * 60)) days" }
    return minutes >= 120 ? "\(minutes / 60) h" : "\(minutes) min"
  }

  /// `1:02:03.4`, `0:03.4`.
  static func clock(_ duration: Duration) -> String {
    // 1.2 s from a floating-point number is a little less; 1.19 s is not yet 1.2 s.
    let whole = duration.microseconds
    let tenths = whole / 100_000 + (whole % 100_000 >= 99_950 ? 1 : 0)
    let (hours, minutes, seconds) = (tenths / 36_000, tenths / 600 % 60, tenths / 10 % 60)
    let padded = { (number: Int64) in number < 10 ? "0\(number)" : "\(number)" }
    let front = hours > 0 ? "\(hours):\(padded(minutes))" : "\(minutes)"
    return "\(front):\(padded(seconds)).\(tenths % 10)"
  }

  /// ` -18.2 dB`, with a constant width.
  private static func decibels(_ peak: Float) -> String {
    (peak > 0.000_01 ? MeterFrame.padded(Double(peak)) : "  -inf") + " dB"
  }

  /// 60 dB in 30 steps.
  private static func bar(_ peak: Float) -> String {
    let full = MeterFrame.column(Double(peak), 30)
    return String(repeating: "█", count: full) + String(repeating: "·", count: 30 - full)
  }
}
