import AudioSession
import Glibc
import POSIX
import Pulse
import PulseTypes

/// Writes a recording to its file on a separate thread, so that a slow disk or reader blocks
/// nothing else.
actor RecordingFile {
  private let thread = PulseLoop()
  nonisolated let path: String
  private let configuration: RecordingConfiguration
  /// Those who follow the progress.
  private let readers: Readers<RecordingProgress>
  /// A named pipe that has its reader, until the writer takes it.
  private var pipe: FileOutput?
  private var writer: SoundFileWriter?
  private var current = RecordingProgress()
  /// A copy for other threads: a write into a pipe may wait for its reader.
  private nonisolated let published = Guarded((progress: RecordingProgress(), isWriting: false))
  private var checked: Int64 = 0
  /// When the input was open and the file was made (`CLOCK_MONOTONIC`).
  private var start = Duration.zero
  /// Whether `FILE.json` is written: only a file that remains has one, not a pipe.
  private var hasSidecar = false

  /// Raised when the recording is to end: then a pipe's reader that stalls is abandoned.
  nonisolated let stop = StopSignal()
  /// Raised when its disk has hung for so long that nothing waits for it any more.
  nonisolated let abandonment = StopSignal()
  nonisolated var hasDuration: Bool { configuration.duration != nil }

  /// The progress up to the last buffer that is in the file.
  nonisolated var progress: RecordingProgress { published.withLock { $0.progress } }

  /// The frames in the file while it is written; nil between, and for a pipe, whose reader may pause.
  nonisolated var framesWhileWriting: UInt64? {
    published.withLock { $0.isWriting ? UInt64($0.progress.frames) : nil }
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  init(path: String, configuration: RecordingConfiguration, _ readers: Readers<RecordingProgress>) {
    self.path = path
    self.configuration = configuration
    self.readers = readers
  }

  nonisolated var isNamedPipe: Bool { path != "-" && File.status(path)?.isPipe == true }

  /// Waits for the reader of a named pipe: sound from before is not for it. A file is created only
  /// when there is sound, so that a failed start does not empty it.
  func openPipe() throws(StreamError) { pipe = try FileOutput(path: path, until: stop) }

  /// Creates the file; removes the `FILE.json` of an earlier one. If that is impossible, the earlier file
  /// stays as it is.
  func create(sampleRate: Int, channels: Int, channelMap: ChannelMap? = nil) throws(StreamError) {
    published.withLock { $0.isWriting = pipe == nil && path != "-" }
    defer { endWriting() }
    hasSidecar = Sidecar.isPossible(for: path)
    if hasSidecar, !File.exists(path) || access(path, W_OK) == 0 {
      try Sidecar.check(for: path, replacesOthers: configuration.replacesOtherLists)
    }
    writer = try SoundFileWriter(
      path: path, format: configuration.format ?? RecordingFormat(path: path),
      sampleRate: sampleRate, channels: channels, channelMap: channelMap, output: pipe, until: stop)
    pipe = nil
    start = .nanoseconds(HostClock.nanoseconds)
    current.sampleRate = sampleRate
    current.channels = channels
    publish()
    if hasSidecar { Sidecar.remove(of: path) }
  }

  /// Appends a buffer, preceded by silence for missing frames; into a pipe not for what was dropped because its
  /// reader was too slow, and none after a stop. True when the requested duration is
  /// in the file.
  func append(_ buffer: CaptureBuffer) throws(StreamError) -> Bool {
    guard let writer else { return true }
    beginWriting(writer)
    defer { endWriting() }
    var buffer = buffer
    if writer.frames == 0 { current.startDelay = max(.zero, buffer.hostTime - start) }
    let limit = configuration.duration.map { duration in
      Int64(saturating: duration.seconds * Double(writer.sampleRate))
    }
    let room = { limit.map { max(0, $0 - writer.frames) } ?? .max }
    let isNewInput = noteInputs(of: buffer, limit)
    let missing = Self.cut(buffer.missing, at: limit ?? .max)
    let silenced = Self.cut(buffer.silenced, at: limit ?? .max)
    if !missing.isEmpty { current.missing = (current.missing + missing).joined() }
    for zeros in silenced { current.missing.fill(zeros) }
    let hasZeros = note(buffer.zeros, before: limit ?? .max)
    let hasNews = isNewInput || !missing.isEmpty || !silenced.isEmpty || hasZeros
    // First: no silence is in the file that is not listed, also if the disk is full then.
    if hasSidecar, hasNews { try Sidecar.write(current, of: path) }
    do throws(StreamError) {
      var silence = min(room(), buffer.framesMissingBefore)
      if !writer.isFile {
        // A pipe whose reader is as fast as the sound would never catch up with silence for what was dropped
        // while it read other silence.
        silence = min(
          silence,
          buffer.missing.filter { $0.cause != .slowConsumer && $0.position < buffer.position }
            .reduce(0) { $0 + Int64($1.frames) })
      }
      while silence > 0, writer.isFile || !stop.isRaised {
        let part = min(silence, Int64(writer.sampleRate))
        try writer.writeSilence(frames: part)
        silence -= part
        // A pipe's reader may need long for it, and is not to be taken for one that stalls.
        current.frames = writer.frames
        publish()
      }
      let count = Int(min(room(), Int64(buffer.frameLength))) * buffer.channels
      buffer.samples.removeLast(buffer.samples.count - count)
      try writer.write(buffer.samples)
    } catch {
      // What is not in the file is not missing in it, and no input of it.
      current.frames = writer.frames
      current.missing = Self.cut(current.missing, at: writer.frames)
      current.zeros = Self.cut(current.zeros, at: writer.frames)
      current.inputs.removeAll { $0.position >= writer.frames }
      publish()
      if hasSidecar, hasNews {
        if current.missing.isEmpty, current.zeros.isEmpty, current.inputs.count < 2 {
          Sidecar.remove(of: path)
        } else {
          try? Sidecar.write(current, of: path)
        }
      }
      throw error
    }
    current.frames = writer.frames
    (current.rms, current.peak) = (buffer.rms, buffer.peak)
    current.highestPeak = max(current.highestPeak, buffer.peak)
    publish()
    if !abandonment.isRaised { readers.send(current) }
    // Twice a second: a process that is killed loses only that much.
    if writer.frames - checked >= Int64(writer.sampleRate / 2) {
      checked = writer.frames
      try writer.checkpoint()
    }
    return room() == 0
  }

  /// Notes the sources that begin in a buffer and are in the file; true if there are any after the
  /// first one of the file.
  private func noteInputs(of buffer: CaptureBuffer, _ limit: Int64?) -> Bool {
    let count = current.inputs.count
    for input in buffer.inputs
    where input.device != current.inputs.last?.device && input.position < limit ?? .max {
      current.inputs.append(input)
    }
    return current.inputs.count > max(1, count)
  }

  private func publish() { published.withLock { $0.progress = current } }

  private func beginWriting(_ writer: SoundFileWriter) {
    published.withLock { $0.isWriting = writer.isFile }
  }

  /// Lists zeros that are known only after the last buffer of the recording.
  func list(_ zeros: [ZeroFrames]) throws(StreamError) {
    guard let writer, note(zeros, before: writer.frames) else { return }
    publish()
    if hasSidecar { try Sidecar.write(current, of: path) }
  }

  /// Notes zeros that end before a position; what a slow disk lost of them is missing already. Whether
  /// there are any.
  private func note(_ zeros: [ZeroFrames], before limit: Int64) -> Bool {
    let lost = current.missing.filter { $0.cause == .slowConsumer }
    let heard = Self.cut(zeros, at: limit).filter { zeros in
      !lost.contains {
        $0.position < zeros.position + Int64(zeros.frames)
          && zeros.position < $0.position + Int64($0.frames)
      }
    }
    current.zeros += heard
    return !heard.isEmpty
  }

  private func endWriting() { published.withLock { $0.isWriting = false } }

  /// The gaps, or their parts, before a position.
  private static func cut(_ missing: [MissingFrames], at limit: Int64) -> [MissingFrames] {
    missing.compactMap { gap in
      guard gap.position < limit else { return nil }
      var gap = gap
      gap.frames = Int(min(Int64(gap.frames), limit - gap.position))
      return gap
    }
  }

  /// The zeros that end before a position.
  private static func cut(_ zeros: [ZeroFrames], at limit: Int64) -> [ZeroFrames] {
    zeros.filter { $0.position + Int64($0.frames) <= limit }
  }

  func close() throws(StreamError) {
    defer {
      writer = nil
      endWriting()
      if !abandonment.isRaised { readers.finish() }
    }
    guard let writer else { return }
    beginWriting(writer)
    try writer.close()
  }
}
