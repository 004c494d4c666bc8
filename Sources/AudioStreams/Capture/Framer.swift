/// Cuts a stream of samples and gaps into buffers of exactly the requested length.
///
/// A gap fills an incomplete buffer with silence. The rest of the gap is omitted, and the next
/// buffer reports it.
struct Framer {
  let channels: Int
  let sampleRate: Int
  let frameLength: Int
  /// The source of the frames appended from now on.
  var device: String?
  /// The position after everything that was appended or skipped.
  private(set) var position: Int64 = 0

  private var samples: [Float] = []
  private var missing: [MissingFrames] = []
  private var silenced: [MissingFrames] = []
  private var zeros: [ZeroFrames] = []
  /// The position behind the last sample of this tap that is not zero; the tap's first one if there is none.
  private var soundEnd: Int64 = 0
  private var startTime = Duration.zero
  private var startDevice: String?
  /// The sources that begin in this buffer, and the last one so far.
  private var inputs: [RecordedInput] = []
  private var lastInput: String?

  init(channels: Int, sampleRate: Int, frameLength: Int) {
    self.channels = channels
    self.sampleRate = sampleRate
    self.frameLength = frameLength
  }

  private var fill: Int { samples.count / channels }

  /// Appends frames; `time` belongs to the first one.
  mutating func append(
    _ input: UnsafeBufferPointer<Float>, at time: Duration, _ emit: (CaptureBuffer) -> Void
  ) {
    if let last = input.lastIndex(where: { $0 != 0 }) {
      soundEnd = position + Int64(last / channels) + 1
    }
    var rest = input[...]
    while !rest.isEmpty {
      if samples.isEmpty {
        let offset = (input.count - rest.count) / channels
        startTime = time + .seconds(Double(offset) / Double(sampleRate))
        startDevice = device
        samples.reserveCapacity(frameLength * channels)
      }
      if let device, device != lastInput {
        inputs.append(RecordedInput(position: position, device: device))
        lastInput = device
      }
      let part = rest.prefix((frameLength - fill) * channels)
      samples += part
      position += Int64(part.count / channels)
      rest = rest.dropFirst(part.count)
      if fill == frameLength { emit(take()) }
    }
  }

  /// Adds a gap.
  mutating func skip(_ frames: Int, _ cause: MissingFrames.Cause, _ emit: (CaptureBuffer) -> Void) {
    guard frames > 0 else { return }
    note(frames, cause)
    let silent = samples.isEmpty ? 0 : min(frames, frameLength - fill)
    samples.append(contentsOf: repeatElement(0, count: silent * channels))
    position += Int64(silent)
    // What exceeds this buffer belongs to the next one.
    if silent > 0, fill == frameLength {
      let rest = frames - silent
      missing[missing.count - 1].frames -= rest
      emit(take())
      if rest > 0 { note(rest, cause) }
    }
    position += Int64(frames - silent)
  }

  /// Notes that another tap begins: zeros so far are none of its own.
  mutating func beginTap() { soundEnd = position }

  /// Lists the zeros at the end of this tap, at most so many frames, as missing; they stay in the
  /// buffers.
  mutating func listZeros(atMost frames: Int) {
    let start = max(soundEnd, position - Int64(frames))
    guard start < position else { return }
    silenced.append(
      MissingFrames(position: start, frames: Int(position - start), cause: .overrun))
  }

  /// Lists zeros amid sound, which are in the buffers.
  mutating func list(_ zeros: ZeroFrames) { self.zeros.append(zeros) }

  /// Takes the incomplete buffer, which is shorter than the others, or has no frames if only
  /// missing or silenced frames, or zeros, remain to be reported; nil if there is nothing.
  mutating func takeRest() -> CaptureBuffer? {
    samples.isEmpty && missing.isEmpty && silenced.isEmpty && zeros.isEmpty ? nil : take()
  }

  private mutating func note(_ frames: Int, _ cause: MissingFrames.Cause) {
    missing.add(MissingFrames(position: position, frames: frames, cause: cause))
  }

  private mutating func take() -> CaptureBuffer {
    defer {
      samples = []
      missing = []
      silenced = []
      zeros = []
      inputs = []
    }
    return CaptureBuffer(
      samples: samples, channels: channels, sampleRate: sampleRate,
      position: position - Int64(fill), hostTime: startTime,
      device: samples.isEmpty ? device : startDevice, missing: missing, inputs: inputs,
      silenced: silenced, zeros: zeros)
  }
}
