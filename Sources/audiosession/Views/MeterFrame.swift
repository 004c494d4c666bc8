import AudioStreams
import PulseTypes

/// One moment of a meter.
struct MeterFrame {
  let seconds: Double
  let device: String
  let sampleRate: Int
  let names: [String]
  let readings: [LevelMeter.Reading]
  let bands: [Spectrum.Band]?

  /// The level at the left end of a bar, in dB.
  private static let floor = -60.0

  /// One line without drawing: `front-left -12.0 (peak -3.1) dB, …`.
  var line: Line {
    let levels = zip(names, readings).map { name, reading in
      "\(name) \(Self.decibels(reading.rms)) (peak \(Self.decibels(reading.peak))) dB"
        + (reading.isClipping ? " CLIPPING" : "")
    }
    guard let bands, let loudest = bands.max(by: { $0.amplitude < $1.amplitude }) else {
      return Line(levels.joined(separator: ", "))
    }
    let range = "\(Int(saturating: loudest.from))-\(Int(saturating: loudest.to)) Hz"
    return Line((levels + ["most in \(range)"]).joined(separator: ", "))
  }

  /// Bars: one line per channel, and the spectrum below.
  func drawing(width: Int) -> [Line] {
    let room = min(width, 100)
    let label = min(names.map(\.displayWidth).max() ?? 0, max(4, room / 3))
    let bars = zip(names, readings).map { name, reading -> Line in
      let all = "\(Self.padded(reading.rms)) \(Self.padded(reading.hold)) dB"
      let numbers = room < 40 ? Self.padded(reading.rms) : all
      let bar = max(4, room - label - numbers.count - 2)
      return [
        Span(Layout.shorten(name, to: label)).padded(to: label), " ", Self.solid(reading, bar),
        Self.rest(reading, bar), Span(" " + numbers, reading.isClipping ? .red : .plain),
      ]
    }
    return bars + (bands.map { [Self.spectrum($0, width: room)] } ?? [])
  }

  /// The column of a level on a bar of this width.
  private static func column(_ amplitude: Double, _ width: Int) -> Int {
    let part = 1 - decibels(of: amplitude) / floor
    return max(0, min(width, Int(saturating: part * Double(width))))
  }

  private static func solid(_ reading: LevelMeter.Reading, _ width: Int) -> Span {
    let style: Style = reading.isClipping ? .red : reading.peak > 0.5 ? .yellow : .green
    return Span(String(repeating: "█", count: column(reading.rms, width)), style)
  }

  /// From the loudness to the peak, then the mark of the held peak.
  private static func rest(_ reading: LevelMeter.Reading, _ width: Int) -> Span {
    let (rms, peak) = (column(reading.rms, width), column(reading.peak, width))
    let mark = max(0, column(reading.hold, width) - 1)
    return Span(
      (rms..<max(rms, width)).map { $0 == mark ? "│" : $0 < peak ? "▒" : "·" }.joined(), .dim)
  }

  private static let heights = Array(" ▁▂▃▄▅▆▇█")

  private static func spectrum(_ bands: [Spectrum.Band], width: Int) -> Line {
    let columns = bands.map { band in heights[column(band.amplitude, heights.count - 1)] }
    let bar = String(columns.prefix(max(1, width - 13)))
    return [Span("40 Hz ", .dim), Span(bar), Span(" 16 kHz", .dim)]
  }

  private static func decibels(of amplitude: Double) -> Double {
    max(floor * 2, AudioStreams.decibels(amplitude))
  }

  /// `-12.3`, and `-120.0` for silence.
  static func decibels(_ amplitude: Double) -> String {
    let tenths = max(-9999, min(9999, Int(saturating: decibels(of: amplitude) * 10)))
    return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
  }

  private static func padded(_ amplitude: Double) -> String {
    let text = decibels(amplitude)
    return String(repeating: " ", count: max(0, 6 - text.count)) + text
  }
}
