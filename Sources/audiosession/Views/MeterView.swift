import AudioSession
import AudioStreams

/// A level meter as text: bars on a terminal, otherwise lines, or JSON on request.
struct MeterView {
  let device: Device
  private let sampleRate: Int
  private let channels: Int
  private let hasSpectrum: Bool
  private let output: Output
  private var meter = LevelMeter()
  private var waiting: [Float] = []
  private var recent: [Float] = []
  private var shown = Duration.zero
  /// The lines on the screen.
  private var drawn = 0
  /// Whether the lines are of another device than the former ones.
  private var isNew = false

  init(_ device: Device, _ tap: DeviceTap, hasSpectrum: Bool, _ output: Output) {
    self.device = device
    sampleRate = tap.sampleRate
    channels = tap.channels
    self.hasSpectrum = hasSpectrum
    self.output = output
  }

  /// The meter of the device to which the server has moved the recording, drawn over this one.
  func following(_ device: Device, _ tap: DeviceTap) -> MeterView {
    var view = MeterView(device, tap, hasSpectrum: hasSpectrum, output)
    (view.shown, view.drawn, view.isNew) = (shown, drawn, true)
    return view
  }

  /// Adds sound, and shows a reading if one is due.
  mutating func add(_ piece: DeviceTap.Piece, at time: Duration, every: Duration) throws {
    waiting += piece.samples
    // The pieces are not synchronous with the readings; half a piece is close enough.
    guard time - shown >= every - min(every / 2, .milliseconds(20)) else { return }
    shown = time
    let levels = waiting.withUnsafeBufferPointer {
      SignalLevel.measure($0, channels: channels)
    }
    let frame = MeterFrame(
      device: device.name, seconds: time.seconds, sampleRate: sampleRate,
      levels: zip(Self.names(device, channels), meter.update(levels, at: time))
        .map(MeterFrame.Level.init),
      bands: hasSpectrum ? bands() : nil)
    waiting = []
    try show(frame)
  }

  /// Removes the levels while nothing arrives: they are of a former moment.
  mutating func empty(at time: Duration) throws {
    (meter, waiting, recent, shown) = (LevelMeter(), [], [], time)
    try show(
      MeterFrame(
        device: device.name, seconds: time.seconds, sampleRate: sampleRate, levels: [],
        bands: hasSpectrum ? [] : nil))
  }

  private mutating func show(_ frame: MeterFrame) throws {
    if output.isJSON { return try output.json(frame, isOneLine: true) }
    let terminal = output.terminal
    guard terminal.canMove, let width = terminal.width else {
      output.print((isNew ? [Line(device.title)] : []) + [frame.line])
      isNew = false
      return
    }
    let lines =
      Layout.wrap(device.title, indent: 0, width: width).prefix(1)
      + frame.drawing(width: width, height: terminal.height - 1)
    output.redraw(Array(lines), over: drawn)
    drawn = lines.count
  }

  /// The spectrum of all channels together.
  private mutating func bands() -> [Spectrum.Band] {
    var mono: [Float] = []
    for at in stride(from: 0, to: waiting.count - channels + 1, by: channels) {
      mono.append(waiting[at..<at + channels].reduce(0, +) / Float(channels))
    }
    recent = Array((recent + mono).suffix(Spectrum.frames))
    return Spectrum(recent, sampleRate: Double(sampleRate), bands: 24).bands
  }

  /// The channels' names; numbers if the stream's channels differ from the device's.
  static func names(_ device: Device, _ channels: Int) -> [String] {
    let positions = device.channelMap.positions
    guard positions.count == channels else { return (0..<channels).map { "channel \($0 + 1)" } }
    return positions.map(\.rawValue)
  }
}
