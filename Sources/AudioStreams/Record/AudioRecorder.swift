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
  }

  /// Makes a recorder; nothing is opened before it starts.
  public init(session: AudioSession) { capture = AudioCapture(session: session) }

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
      quality: configuration.quality, device: configuration.device, backlog: .seconds(10))
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
    let work = Task { [capture] in await Self.run(buffers, into: file, from: capture) }
    recording = Recording(file: file, work: work)
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

  /// Waits until the recording ends by itself: its duration is reached, or it fails.
  ///
  /// Errors: `fileFailed` for a full disk, `closedPipe` where nobody reads any more. What was
  /// written before stays.
  @discardableResult
  public func finished() async throws(StreamError) -> RecordingProgress {
    guard let recording else { return lastProgress }
    let result = await recording.work.value
    lastProgress = await recording.file.progress
    self.recording = nil
    return try result.get()
  }

  /// Ends the recording and its file; what it came to. Nothing happens where nothing is recorded.
  @discardableResult
  public func stop() async throws(StreamError) -> RecordingProgress {
    await capture.stopAudioStream()
    return try await finished()
  }
}
