public import AudioSession

/// Records the session's input into a file, gapless: what is missing while the route changes or the
/// server restarts is silence in the file, and is listed to the sample in a file beside it
/// (`FILE.json`).
///
/// A process that is killed leaves a file that can be read, with all but the last second.
public actor AudioRecorder {
  /// What it records with.
  public nonisolated let capture: AudioCapture

  private var recording: Recording?
  private var lastProgress = RecordingProgress()

  private struct Recording {
    let file: RecordingFile
    let work: Task<Result<RecordingProgress, StreamError>, Never>
    let end: Completion
  }

  /// Makes a recorder; nothing is opened before it starts.
  public init(session: AudioSession) { capture = AudioCapture(session: session) }

  // The work ends the capture and the file, on its own threads.
  deinit { recording?.work.cancel() }

  /// Whether a recording has begun and not been stopped; a pause counts.
  public var isRecording: Bool { recording != nil }

  /// How far the recording is; after its end, what it came to.
  public var progress: RecordingProgress {
    get async { await recording?.file.progress ?? lastProgress }
  }

  /// Starts to record into a file, which is replaced; `-` is standard output.
  ///
  /// A pipe gets a WAV or FLAC without a length, which readers take until its end; no list is
  /// written beside it. A reader that is slower than the sound for more than 10 seconds misses some.
  /// Errors: as `AudioCapture.startAudioStream`, and `fileFailed`, `permissionDenied`, `closedPipe`,
  /// `missingPackage`.
  public func start(
    _ path: String, configuration: RecordingConfiguration = .init()
  ) async throws(StreamError) {
    guard recording == nil else {
      throw StreamError(.alreadyStreaming, "the recorder records already; stop it first")
    }
    guard SoundLibrary.isAvailable else { throw SoundLibrary.missing }
    let file = RecordingFile(path: path, configuration: configuration)
    var wish = CaptureConfiguration(
      sampleRate: configuration.sampleRate, channels: configuration.channels,
      quality: configuration.quality, device: configuration.device, backlog: .seconds(10),
      follows: configuration.follows)
    // Ten buffers a second: what a disk likes, and soon enough for a level line.
    wish.frameLength = max(1, (configuration.sampleRate ?? 48_000) / 10)
    wish.includesRest = true
    let buffers = try await capture.startAudioStream(wish)
    do throws(StreamError) {
      guard let format = await capture.outputFormat else {
        throw StreamError(.engineStartFailed, "the capture ended before it began")
      }
      try await file.create(sampleRate: format.sampleRate, channels: format.channels)
    } catch {
      await capture.stopAudioStream()
      throw error
    }
    let end = Completion()
    let timer = configuration.duration.map { duration in
      Task { [capture] in await Self.endOnTime(duration, file, capture) }
    }
    let work = Task { [capture] in
      defer {
        timer?.cancel()
        end.complete()
      }
      return await Self.run(buffers, into: file, from: capture)
    }
    recording = Recording(file: file, work: work, end: end)
  }

  /// Stops at the end of the duration also where no input is there to reach it: what is missing is
  /// filled in.
  private static func endOnTime(
    _ duration: Duration, _ file: RecordingFile, _ capture: AudioCapture
  ) async {
    while !Task.isCancelled {
      let away = await capture.awaySince.map { ContinuousClock.now - $0 }
      let left = duration - (await file.progress.duration) - (away ?? .zero)
      if away != nil, left <= .zero { return await capture.stopAudioStream() }
      let pause = max(.milliseconds(10), min(left, .milliseconds(250)))
      try? await capture.session.sleep(until: .now + pause)
    }
  }

  /// Writes until the capture ends or the duration is reached.
  private static func run(
    _ buffers: CaptureBuffers, into file: RecordingFile, from capture: AudioCapture
  ) async -> Result<RecordingProgress, StreamError> {
    var failure: StreamError?
    do throws(StreamError) {
      for await buffer in buffers where try await file.append(buffer) { break }
    } catch {
      failure = error
    }
    await capture.stopAudioStream()
    do throws(StreamError) {
      try await file.close()
    } catch {
      failure = failure ?? error
    }
    if let failure { return .failure(failure) }
    return .success(await file.progress)
  }

  /// Stops listening until `resume`; the pause is not in the file.
  public func pause() async throws(StreamError) { try await capture.pauseAudioStream() }

  /// Goes on after a pause.
  public func resume() async throws(StreamError) { try await capture.resumeAudioStream() }

  /// Waits until the recording ends by itself: its duration is reached, also by the clock while the
  /// input is away, or it fails.
  ///
  /// Where the task is cancelled it returns how far the recording is, which goes on until `stop()`.
  /// Errors: `fileFailed` for a full disk, `closedPipe` where nobody reads any more. What was
  /// written before stays.
  @discardableResult
  public func finished() async throws(StreamError) -> RecordingProgress {
    guard let recording else { return lastProgress }
    guard await recording.end.wait() else { return await recording.file.progress }
    return try await settle(recording)
  }

  /// Takes what a recording that ends came to.
  private func settle(
    _ recording: Recording
  ) async throws(StreamError) -> RecordingProgress {
    let result = await recording.work.value
    lastProgress = await recording.file.progress
    if self.recording?.end === recording.end { self.recording = nil }
    return try result.get()
  }

  /// Ends the recording and its file; what it came to. Nothing happens where nothing is recorded.
  @discardableResult
  public func stop() async throws(StreamError) -> RecordingProgress {
    guard let recording else { return lastProgress }
    await capture.stopAudioStream()
    return try await settle(recording)
  }
}
