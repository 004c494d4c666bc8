public import AudioSession
internal import CAudioKernel
internal import PulseTypes
internal import SessionCore

/// Plays notes with low latency: eight sine voices, mixed on an audio thread that runs only C.
///
/// `start()` opens a stream on the session's output. Notes then pass through a queue of 256 events,
/// for which the audio thread never waits; 512 may wait for their time. Any thread may call any method.
///
/// When the server stops, or the output is removed and no other takes its place, `isRunning`
/// becomes false and `failure` has the reason. As soon as an output is available, the synthesizer
/// opens a new stream, until `stop()`: notes that sounded or were scheduled are lost, and
/// `position` restarts at 0. (A program must restart AVAudioEngine itself after a reset of the
/// media services.)
///
/// `isRunning` becomes false, too, when the output has taken no sound for 5 s longer than its buffer
/// lasts, because it is suspended, say: the notes since then are lost. It becomes true again when the
/// output takes sound.
public final class Synthesizer: Sendable {
  /// Volume, envelope, filter, buffer and device.
  public let configuration: SynthesizerConfiguration
  let session: AudioSession
  private let engine = Engine()

  /// Makes a synthesizer. Opens nothing until `start()`.
  ///
  /// - Parameters:
  ///   - session: whose server and output it plays to.
  ///   - configuration: volume, envelope, filter, buffer.
  public init(session: AudioSession = .shared, configuration: SynthesizerConfiguration = .init()) {
    self.session = session
    self.configuration = configuration
  }

  deinit {
    guard let parts = engine.take() else { return }
    // The kernel must outlive the audio thread that renders with it.
    Task { await parts.end() }
  }

  /// Opens a stream on the output, at the device's actual rate and channels.
  ///
  /// While the synthesizer waits for a server that is away, this tries at once; if that fails, it
  /// keeps waiting.
  ///
  /// - Throws: `alreadyStreaming`; `deviceNotAvailable`, `engineStartFailed` and `permissionDenied`
  ///   from the server; `engineInitFailed` if no thread can be started; `invalidValue` for the
  ///   configuration.
  public func start() async throws(StreamError) {
    try configuration.validate()
    guard let run = engine.reserve() else { throw Self.runsAlready }
    try await open(run)
  }

  /// Sets the category and the sample rate of the session's mode, activates the session, and starts.
  ///
  /// The rest of the mode stays as it is, apart from the options of another category.
  ///
  /// - Parameters:
  ///   - category: such as `playback`.
  ///   - sampleRate: the preferred rate of the output, in Hz; nil leaves it as it is.
  /// - Throws: as `start()`; `sessionConfigFailed` and `permissionDenied` if the session could not be
  ///   set, and nothing is opened.
  public func start(category: Category, sampleRate: Int? = nil) async throws(StreamError) {
    try configuration.validate()
    guard !engine.isReserved else { throw Self.runsAlready }
    do throws(SessionError) {
      try await session.update { mode in
        mode.category = category
        if let sampleRate { mode.sampleRate = sampleRate }
      }
    } catch {
      throw StreamError(session: error, "the session could not be set")
    }
    try await start()
  }

  private static var runsAlready: StreamError {
    StreamError(.alreadyStreaming, "the synthesizer runs already; stop it first")
  }

  private func open(_ run: UInt64) async throws(StreamError) {
    var opened: RealtimeStream?
    do throws(StreamError) {
      var request = request
      let place = await session.place(.output)
      request.take(place)
      let hasMoved = StopSignal()
      let stream = try RealtimeStream(request) { [weak self, engine] signal in
        switch signal {
        case .ended(let error?): if engine.fail(run, error) { Self.bringBack(self, run) }
        case .events(let events):
          guard events.contains(.moved) else { return }
          hasMoved.set()
          Task { await self?.moved(run) }
        case .ready, .sound, .requested, .ended(nil): break
        }
      }
      opened = stream
      let grant = try await stream.opened()
      let kernel = SynthKernel(
        configuration, sampleRate: Double(grant.rate), channels: grant.channels)
      let parts = SynthParts(
        kernel: kernel, stream: stream, bufferFrames: grant.bufferFrames,
        scheduling: grant.scheduling, longestRelease: configuration.longestRelease, place: place)
      guard engine.begin(run, parts) else {
        throw engine.failure
          ?? StreamError(.engineStartFailed, "the synthesizer was stopped while it started")
      }
      stream.start(ak_synth_render, context: UnsafeMutableRawPointer(kernel.pointer))
      // A move that came before had no parts to judge.
      if hasMoved.isRaised { Task { await moved(run) } }
      Task { [session, engine] in await Self.watch(parts, of: engine, grant, session) }
    } catch {
      // Signals of this stream's end must not reach the next stream.
      await opened?.close()
      _ = engine.fail(run, error)
      throw error
    }
  }

  /// The stream is on another output, where the session's channels may be others: one that has none of the
  /// former ones plays nothing. Opens another stream then.
  private func moved(_ run: UInt64) async {
    guard configuration.device == nil, let parts = engine.opened else { return }
    let isOpen: @Sendable () -> Bool = { [engine] in engine.opened?.stream === parts.stream }
    guard await session.snapshot(while: isOpen) != nil else { return }
    let place = await session.place(.output)
    guard isOpen(), !place.hasFormat(of: parts.place),
      engine.fail(run, StreamError(.deviceNotAvailable, "the output has other channels"))
    else { return }
    await parts.end()
    Self.bringBack(self, run)
  }

  /// Notes when the output has taken no sound for 5 s longer than its buffer lasts, and when it does
  /// again; until the stream ends. (An idle null sink takes some only after two seconds.)
  private static func watch(
    _ parts: SynthParts, of engine: Engine, _ grant: StreamGrant, _ session: AudioSession
  ) async {
    let buffer = Duration.seconds(Double(grant.bufferFrames) / Double(max(1, grant.rate)))
    var output = Standstill(after: buffer + .seconds(5), every: .milliseconds(100))
    var failure: StreamError?
    var isSilenced = true
    repeat {
      let stands = output.isLasting(parts.stream.statistics.callbacks)
      if stands, failure == nil {
        failure = .standstill(await parts.stream.outputName(session, grant))
        guard engine.note(failure, on: parts.stream) else { return }
        isSilenced = false
      }
      // What was played until then would be heard all at once. A full queue takes it later.
      if !isSilenced { isSilenced = parts.kernel.releaseAll() }
      if !stands, isSilenced { failure = nil }
      try? await session.sleep(until: .now + output.interval)
    } while engine.note(failure, on: parts.stream)
  }

  /// Opens the stream of a run again as soon as possible, with growing pauses between the attempts.
  private static func bringBack(_ synthesizer: Synthesizer?, _ run: UInt64) {
    Task { [weak synthesizer, session = synthesizer?.session] in
      var pauses = Pauses(from: .milliseconds(10), upTo: .milliseconds(500))
      while await synthesizer?.tryAgain(run) == true {
        try? await session?.sleep(until: .now + pauses.next())
      }
    }
  }

  /// Tries once; whether to try again.
  private func tryAgain(_ run: UInt64) async -> Bool {
    switch engine.retry(run) {
    case .open: (try? await open(run)) == nil
    case .wait: true
    case .giveUp: false
    }
  }

  private var request: StreamRequest {
    StreamRequest(
      direction: .output, server: session.address, name: "Synthesizer",
      device: configuration.device, latency: configuration.bufferDuration,
      timeout: session.configuration.timeout)
  }

  /// Releases every note, waits until they have faded out, and ends the stream. May be called
  /// repeatedly. Stops waiting for a server that is away.
  public func stop() async {
    guard let parts = engine.take() else { return }
    // In a task of its own: the pauses of a cancelled one end at once.
    await Task {
      await parts.fadeOut()
      await parts.end()
    }.value
  }

  /// Whether notes can be played.
  public var isRunning: Bool { engine.parts != nil }
  /// Why the stream ended by itself; nil while it runs and after `stop()`.
  public var failure: StreamError? { engine.failure }
  /// The device's rate in Hz; nil while the synthesizer does not run.
  public var sampleRate: Int? { engine.parts.map { Int(saturating: $0.kernel.sampleRate) } }
  /// The frames that the current stream has mixed so far; they are heard `bufferDuration` later.
  public var position: UInt64 { engine.opened?.kernel.position ?? 0 }
  /// How many notes were refused because the queue was full, since `start()`.
  public var refusedEvents: UInt64 { engine.figures.refused }
  /// How often the stream ended and was opened again since `start()`.
  public var resets: Int { engine.figures.resets }
  /// How long a note takes from the audio thread until it is heard, as the server measures it now: its
  /// buffer and the device's (libpulse: `pa_stream_get_latency`). The audio thread mixes a new note when
  /// the server asks for sound, up to a quarter of `bufferDuration` later. Nil while the synthesizer does
  /// not run, or if the server does not answer within a second.
  public var latency: Duration? {
    get async {
      guard let parts = engine.parts else { return nil }
      let answer = Task { await parts.stream.latency() }
      let limit = Task { [session] in
        try await session.sleep(until: .now + .seconds(1))
        answer.cancel()
      }
      defer { limit.cancel() }
      return await answer.value
    }
  }
  /// How the audio thread is scheduled; nil while the synthesizer does not run.
  public var scheduling: Scheduling? { engine.parts?.scheduling }
  /// The figures of the stream; nil while the synthesizer does not run.
  public var statistics: StreamStatistics? {
    engine.parts.map { parts in
      var statistics = parts.stream.statistics
      statistics.violations += parts.kernel.violations
      return statistics
    }
  }

  /// Starts a note now.
  ///
  /// - Parameters:
  /// - pitch: the MIDI note number, 0 to 127; 69 is A4, 440 Hz.
  /// - velocity: how loud, 0...1.
  /// - duration: from the start of the note to silence; nil sounds until `releaseNote`.
  /// - Returns: false if more notes wait than there is room for; this one is then dropped.
  /// - Throws: `engineNotInitialized` without a start, `invalidValue` for a pitch or a duration that is not
  ///   possible, and what ended the stream.
  @discardableResult
  public func triggerNote(
    pitch: Int, velocity: Velocity = .normal, duration: Duration? = nil
  ) throws(StreamError) -> Bool {
    try schedule(Note(pitch: pitch, velocity: velocity, duration: duration), at: 0)
  }

  /// Starts a note exactly at a frame of `position`; a past frame means now.
  ///
  /// Returns and throws like `triggerNote`.
  @discardableResult
  public func schedule(_ note: Note, at frame: UInt64) throws(StreamError) -> Bool {
    try kernel().play(note, at: frame)
  }

  /// Starts the release of every note of a pitch. It takes three tenths of the time that the note
  /// was held, at most `longestRelease`. Returns and throws like `triggerNote`.
  @discardableResult
  public func releaseNote(pitch: Int) throws(StreamError) -> Bool {
    try kernel().release(pitch: pitch)
  }

  private func kernel() throws(StreamError) -> SynthKernel {
    guard let parts = engine.parts else {
      throw engine.failure
        ?? StreamError(.engineNotInitialized, "the synthesizer does not run; start it first")
    }
    return parts.kernel
  }
}
