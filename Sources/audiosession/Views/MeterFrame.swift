import AudioSession
import AudioStreams
import PulseTypes

/// One moment of a meter.
struct MeterFrame: Encodable {
  struct Level: Encodable {
    let channel: String
    let peak: Double
    let rms: Double
    let hold: Double
    let clipping: Bool

    init(_ channel: String, _ reading: LevelMeter.Reading) {
      self.channel = channel
      (peak, rms, hold) = (reading.peak, reading.rms, reading.hold)
      clipping = reading.isClipping
    }
  }

  let device: String
  let seconds: Double
  let sampleRate: Int
  /// None while the device delivers nothing.
  let levels: [Level]
  let bands: [Spectrum.Band]?

  /// The level at the left end of a bar, in dB.
  private static let floor = -60.0

  private static let nothing = Line("no sound arrives", .dim)

  /// One line without drawing: `front-left -12.0 (peak -3.1) dB, …`.
  var line: Line {
    guard !levels.isEmpty else { return Self.nothing }
    let levels = levels.map {
      "\($0.channel) \(Self.decibels($0.rms)) (peak \(Self.decibels($0.peak))) dB"
        + ($0.clipping ? " CLIPPING" : "")
    }
    guard let bands, let loudest = bands.max(by: { $0.amplitude < $1.amplitude }),
      loudest.amplitude > Double(SignalCheck.silentLevel)
    else {
      return Line(levels.joined(separator: ", "))
    }
    let range = "\(Int(saturating: loudest.from))-\(Int(saturating: loudest.to)) Hz"
    return Line((levels + ["most in \(range)"]).joined(separator: ", "))
  }

  /// Bars: one line per channel, and the spectrum below. On a narrow screen the held peak is left out
  /// first, then the channel's name has a line of its own. On a low screen the last channels are
  /// left out: what does not fit could not be drawn over.
  func drawing(width: Int, height: Int) -> [Line] {
    guard !levels.isEmpty || bands?.isEmpty == false else { return [Self.nothing] }
    let room = min(width, 100)
    let longest = levels.map(\.channel.displayWidth).max() ?? 0
    let label = longest + 13 > room ? 0 : longest + 1
    let bars = levels.map { level -> [Line] in
      let held = room - label < 26 ? "" : " \(Self.padded(level.hold)) dB"
      let numbers = Self.padded(level.rms) + held
      let bar = max(4, room - label - numbers.count - 1)
      let line: [Span] = [
        Self.solid(level, bar), Self.rest(level, bar),
        Span(" " + numbers, level.clipping ? .red : .plain),
      ]
      return label == 0
        ? Layout.wrap(level.channel, indent: 0, width: room) + [Line(line)]
        : [Line([Span(level.channel).padded(to: label)] + line)]
    }
    let spectrum = bands.map { [Self.spectrum($0, width: room)] } ?? []
    return Self.fitting(bars, spectrum, rows: max(1, height - 1))
  }

  /// The channels that fit with the lines below them, and how many do not.
  private static func fitting(_ channels: [[Line]], _ below: [Line], rows: Int) -> [Line] {
    var shown: [Line] = []
    guard channels.reduce(below.count, { $0 + $1.count }) > rows else {
      return channels.flatMap { $0 } + below
    }
    var count = 0
    for lines in channels {
      guard shown.count + lines.count + below.count < rows else { break }
      shown += lines
      count += 1
    }
    let more = channels.count - count
    let note = Line("(\(Words.count(more, "more channel")))", .dim)
    return Array((shown + below).prefix(rows - 1)) + [note]
  }

  /// The column of a level on a bar of this width.
  static func column(_ amplitude: Double, _ width: Int) -> Int {
    let part = 1 - decibels(of: amplitude) / floor
    return max(0, min(width, Int(saturating: part * Double(width))))
  }

  private static func solid(_ level: Level, _ width: Int) -> Span {
    let style: Style = level.clipping ? .red : level.peak > 0.5 ? .amber : .green
    return Span(String(repeating: "█", count: column(level.rms, width)), style)
  }

  /// From the loudness to the peak, then the mark of the held peak.
  private static func rest(_ level: Level, _ width: Int) -> Span {
    let (rms, peak) = (column(level.rms, width), column(level.peak, width))
    let mark = max(0, column(level.hold, width) - 1)
    return Span(
      (rms..<max(rms, width)).map { $0 == mark ? "│" : $0 < peak ? "▒" : "·" }.joined(), .dim)
  }

  private static let heights = Array(" ▁▂▃▄▅▆▇█")

  private static func spectrum(_ bands: [Spectrum.Band], width: Int) -> Line {
    let columns = bands.map { band in column(band.amplitude, heights.count - 1) }
    let room = max(1, width - 13)
    // On a narrow screen a column is the loudest of several bands.
    let each = max(1, (columns.count + room - 1) / room)
    let bar = stride(from: 0, to: columns.count, by: each).map { at in
      heights[columns[at..<min(at + each, columns.count)].max() ?? 0]
    }
    // The sound has no more than half its rate.
    let end = " \(Int(saturating: ((bands.last?.to ?? 0) / 1000).rounded())) kHz"
    return [Span("40 Hz ", .dim), Span(String(bar)), Span(end, .dim)]
  }

  private static func decibels(of amplitude: Double) -> Double {
    max(floor * 2, AudioStreams.decibels(amplitude))
  }

  /// `-12.3`, and `-120.0` for silence.
  static func decibels(_ amplitude: Double) -> String {
    let tenths = max(-9999, min(9999, Int(saturating: decibels(of: amplitude) * 10)))
    return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
  }

  /// The same with a constant width.
  static func padded(_ amplitude: Double) -> String {
    let text = decibels(amplitude)
    return String(repeating: " ", count: max(0, 6 - text.count)) + text
  }
}
