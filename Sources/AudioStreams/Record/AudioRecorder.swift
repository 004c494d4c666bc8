public import AudioSession
internal import POSIX
internal import Pulse
internal import PulseTypes

/// Records the session's input to a file without gaps: time that is missing while the route changes
/// or the server restarts becomes silence in the file, and a second file (`FILE.json`) lists it to
/// the frame.
///
/// A process that is killed leaves a readable file without its last second.
public actor AudioRecorder {
  /// The capture that provides the sound.
  public nonisolated let capture: AudioCapture

  private nonisolated let readers = Readers<RecordingProgress>()
  private(set) var recording: Recording?
  /// Gives up the start that is in progress.
  private var opening: StopSignal?
  /// The end of that start.
  private var startEnd = Promise<Void>()
  /// Whether its input is looked for, or is being opened.
  var isStarting: Bool { opening != nil }
  private let writeTimeout: Duration
  /// Creates its file.
  private var creation: Task<Void, Never>?
  private var lastProgress = RecordingProgress()

  struct Recording {
    let file: RecordingFile
    let work: Task<Void, Never>
    let end: Promise<Result<RecordingProgress, StreamError>>
  }

  /// Makes a recorder. Opens nothing until `start`.
  public init(session: AudioSession) { self.init(session: session, writeTimeout: .seconds(30)) }

  /// - Parameter writeTimeout: how long one write to a file may take: a disk may hang.
  init(session: AudioSession, writeTimeout: Duration) {
    capture = AudioCapture(session: session)
    self.writeTimeout = writeTimeout
  }

  // The task ends the capture and the file.
  deinit {
    guard let work = recording?.work else { return readers.finish() }
    work.cancel()
    Task { [readers] in
      await work.value
      readers.finish()
    }
  }

  /// Whether a recording has started and has not been stopped; true during a pause.
  public var isRecording: Bool { recording != nil }

  /// The progress of the recording; after its end, the final figures.
  public var progress: RecordingProgress { recording?.file.progress ?? lastProgress }

  /// The progress of the recording from now on, ten times a second; ends with the recording. A slow
  /// reader gets only the newest.
  public nonisolated var progressUpdates: AsyncStream<RecordingProgress> {
    readers.makeStream(limit: 1)
  }

  /// Starts to record to a file, and replaces an existing one; `-` is standard output.
  ///
  /// A pipe gets a WAV or FLAC stream without a length, which readers accept until its end, and no
  /// `FILE.json`; the recording begins when a named pipe has a reader. A reader that falls behind
  /// by more than 10 seconds loses sound. Errors: those of `AudioCapture.start`, and
  /// `fileFailed` (also for a `FILE.json` that is not empty and not the list of a recording),
  /// `permissionDenied`, `closedPipe`, `missingPackage`.
  public func start(
    _ path: String, configuration: RecordingConfiguration = .init()
  ) async throws(StreamError) {
    guard recording == nil, opening == nil else {
      throw StreamError(.alreadyStreaming, "the recorder records already; stop it first")
    }
    let opening = StopSignal()
    let startEnd = Promise<Void>()
    (self.opening, self.startEnd) = (opening, startEnd)
    defer {
      self.opening = nil
      startEnd.fulfill(())
      if recording == nil { readers.finish() }
    }
    guard SoundLibrary.isAvailable else { throw SoundLibrary.missing }
    let file = RecordingFile(path: path, configuration: configuration, readers)
    var capturing = CaptureConfiguration(
      sampleRate: configuration.sampleRate, channels: configuration.channels,
      quality: configuration.quality, device: configuration.device, backlog: .seconds(10),
      follows: configuration.follows)
    // Ten buffers a second: large enough for a disk, and frequent enough for a level line.
    capturing.buffersPerSecond = 10
    capturing.includesRest = true
    // The file takes the format of the input.
    capturing.needsInput = true
    capturing.endsWithMode = true
    let stopped = StreamError(.engineStartFailed, "the recorder was stopped while it started")
    if file.isNamedPipe {
      // A start that must fail does not wait for the pipe's reader.
      try capturing.validate()
      let made = await making(file) { [capture, capturing] () async throws(StreamError) in
        try await capture.checkInput(capturing)
        try await file.openPipe()
      }
      guard !opening.isRaised else { throw stopped }
      try made.get()
    }
    let buffers: CaptureBuffers
    do throws(StreamError) {
      buffers = try await capture.start(capturing)
    } catch {
      throw opening.isRaised ? stopped : error
    }
    do throws(StreamError) {
      guard let format = await capture.outputFormat else {
        throw StreamError(.engineStartFailed, "the capture ended before it began")
      }
      let channelMap = await capture.channelMap
      guard !opening.isRaised else { throw stopped }
      let made = await making(file) { () async throws(StreamError) in
        try await file.create(
          sampleRate: format.sampleRate, channels: format.channels, channelMap: channelMap)
      }
      guard !opening.isRaised, !Task.isCancelled else { throw stopped }
      try made.get()
    } catch {
      await capture.stop()
      var error = error
      error.isCancelled = Task.isCancelled
      throw error
    }
    let end = Promise<Result<RecordingProgress, StreamError>>()
    let watch = Task { [capture] in await Self.endInTime(configuration, file, capture) }
    let disk = Task { [capture, readers, writeTimeout] in
      let error = await Self.waitForStandstill(of: file, writeTimeout, capture.session)
      guard let error else { return }
      file.abandonment.set()
      // The next recording may use the capture before this one's task ends.
      watch.cancel()
      _ = await watch.value
      await capture.stop()
      readers.finish()
      end.fulfill(.failure(error))
    }
    let work = Task { [capture] in
      let result = await Self.run(buffers, into: file, from: capture)
      disk.cancel()
      watch.cancel()
      let lost = await watch.value
      // Why the file has failed says more.
      end.fulfill(result.flatMap { lost.map { .failure($0) } ?? .success($0) })
    }
    recording = Recording(file: file, work: work, end: end)
  }

  /// Opens or creates the file until `stop` is called: a named pipe has to wait for its reader.
  private func making(
    _ file: RecordingFile, _ body: @escaping @Sendable () async throws(StreamError) -> Void
  ) async -> Result<Void, StreamError> {
    let made = Promise<Result<Void, StreamError>>()
    let creation = Task { made.fulfill(await outcome(of: body)) }
    let disk = Task { [capture, writeTimeout] in
      let error = await Self.waitForStandstill(of: file, writeTimeout, capture.session)
      if let error { made.fulfill(.failure(error)) }
    }
    self.creation = creation
    defer {
      self.creation = nil
      disk.cancel()
    }
    return await withTaskCancellationHandler {
      await made.value()
    } onCancel: {
      creation.cancel()
    }
  }

  /// Stops after the duration even if the input is away; the missing time is filled in. Without a
  /// duration, stops when no server has been there for too long.
  ///
  /// - Returns: the error that stopped it; nil after the duration, or when cancelled.
  private static func endInTime(
    _ configuration: RecordingConfiguration, _ file: RecordingFile, _ capture: AudioCapture
  ) async -> StreamError? {
    while !Task.isCancelled {
      var left: Duration
      if let duration = configuration.duration {
        // What waits to be written counts: a reader may stall. Asked for first: sound that returns in
        // between ends the silence.
        let captured = await capture.captured ?? .zero
        let away = await capture.silence ?? .zero
        left = duration - captured - away
        // A device that only just starts has its time.
        if left <= .zero, captured >= duration || away > .nanoseconds(Timeline.longestStart) {
          await end(capture, file)
          return nil
        }
      } else {
        left = configuration.serverTimeout
        if let since = await capture.serverAwaySince {
          left -= .now - since
          if left <= .zero {
            await end(capture, file)
            return .serverAway(for: configuration.serverTimeout)
          }
        }
      }
      let pause = max(.milliseconds(10), min(left, .milliseconds(250)))
      try? await capture.session.sleep(until: .now + pause)
    }
    return nil
  }

  /// Waits until one write to the file has lasted too long; nil if the task is cancelled first.
  private static func waitForStandstill(
    of file: RecordingFile, _ limit: Duration, _ session: AudioSession
  ) async -> StreamError? {
    var disk = Standstill(after: limit, every: .milliseconds(250))
    while !disk.isLasting(file.framesWhileWriting) {
      do { try await session.sleep(until: .now + disk.interval) } catch { return nil }
    }
    return .hangingDisk("'\(file.path)' could not be written", in: limit)
  }

  /// Ends the capture, and abandons a pipe's reader that takes nothing of the rest for two seconds.
  private static func end(_ capture: AudioCapture, _ file: RecordingFile) async {
    await capture.stop()
    var written: Int64?
    while !Task.isCancelled {
      let frames = file.progress.frames
      if frames == written { return file.stop.set() }
      written = frames
      try? await capture.session.sleep(until: .now + .seconds(2))
    }
  }

  /// Writes until the capture ends or the duration is reached.
  private static func run(
    _ buffers: CaptureBuffers, into file: RecordingFile, from capture: AudioCapture
  ) async -> Result<RecordingProgress, StreamError> {
    var failure: StreamError?
    var isWhole = false
    do throws(StreamError) {
      for await buffer in buffers {
        // Sound that arrives while the silence of a long absence is written waits for that.
        let isAfterAbsence = buffer.framesMissingBefore > Int64(buffer.sampleRate)
        if isAfterAbsence { buffers.lease.queue.beginExcuse() }
        defer { if isAfterAbsence { buffers.lease.queue.endExcuse() } }
        isWhole = try await file.append(buffer)
        if isWhole { break }
      }
    } catch {
      failure = error
    }
    // By now the capture may belong to another recording.
    if !file.abandonment.isRaised {
      await capture.stop()
      if isWhole { failure = await listRest(of: buffers, in: file) }
    }
    if failure == nil { failure = await capture.failure }
    if failure == nil, !isWhole, file.hasDuration, !file.stop.isRaised,
      await capture.session.isClosed
    {
      failure = .closed
    }
    do throws(StreamError) {
      try await file.close()
    } catch {
      failure = failure ?? error
    }
    if let failure { return .failure(failure) }
    return .success(file.progress)
  }

  /// Lists what the end of the capture has shown of a recording that is whole already.
  private static func listRest(
    of buffers: CaptureBuffers, in file: RecordingFile
  ) async -> StreamError? {
    do throws(StreamError) {
      for await rest in buffers { try await file.list(rest.zeros) }
      return nil
    } catch {
      return error
    }
  }

  /// Pauses the recording until `resume`; the pause does not appear in the file.
  ///
  /// Errors: `engineNotInitialized` if nothing is recorded.
  public func pause() async throws(StreamError) { try await capture.pause() }

  /// Resumes the recording after a pause.
  ///
  /// Errors: `engineNotInitialized` if nothing is recorded; those of a start if the input cannot be
  /// opened.
  public func resume() async throws(StreamError) { try await capture.resume() }

  /// Waits until the recording ends by itself: it reaches its duration (by the clock while the
  /// input is away), or it fails.
  ///
  /// If the task is cancelled, returns the current progress, and the recording continues until
  /// `stop()`. Errors: `fileFailed` for a full disk, a disk that has not finished a write for 30 s, or
  /// a pipe whose reader reads nothing for two seconds after the end, `closedPipe` if the reader closed the
  /// pipe, `engineStartFailed` if a recording without a duration has had no server for
  /// `RecordingConfiguration.serverTimeout`, `sessionConfigFailed` if the session was deactivated during an
  /// interruption, or closed before the duration was over. Sound that was written before stays in the file.
  @discardableResult
  public func finished() async throws(StreamError) -> RecordingProgress {
    guard let recording else { return lastProgress }
    guard let result = await recording.end.valueUnlessCancelled() else {
      return recording.file.progress
    }
    return try settle(recording, result)
  }

  /// Returns the result of a recording that has ended.
  private func settle(
    _ recording: Recording, _ result: Result<RecordingProgress, StreamError>
  ) throws(StreamError) -> RecordingProgress {
    lastProgress = recording.file.progress
    if self.recording?.end === recording.end { self.recording = nil }
    return try result.get()
  }

  /// Ends the recording, closes the file, and returns the final figures. Has no effect if nothing
  /// is recorded; a start in progress fails.
  ///
  /// A pipe still gets the sound that its reader has not read, but no silence for what is missing. If the
  /// reader reads nothing for 0.2 s, the rest is lost, with the error `fileFailed`, and `progress` has the
  /// final figures. Other errors: those of `finished()`.
  @discardableResult
  public func stop() async throws(StreamError) -> RecordingProgress {
    guard let recording else {
      opening?.set()
      creation?.cancel()
      if opening != nil {
        let end = startEnd
        await capture.stop()
        await capture.session.waitASecond { await end.value() }
      }
      return lastProgress
    }
    recording.file.stop.set()
    await capture.stop()
    return try settle(recording, await recording.end.value())
  }
}
