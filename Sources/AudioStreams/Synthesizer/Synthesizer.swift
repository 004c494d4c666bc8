public import AudioSession
internal import CAudioKernel
internal import Pulse
internal import PulseTypes

/// Plays notes at once: eight voices of sine, mixed on an audio thread that runs C only.
///
/// `start()` opens a stream on the session's output; notes then go through a queue of 256 events
/// that the audio thread never waits for. Every method may be called from any thread.
///
/// When the server goes, or the output with nothing in its place, `isRunning` becomes false and
/// `failure` says why. As soon as there is an output again a new stream is opened, until `stop()`:
/// what sounded and what was scheduled is forgotten, and its frames begin anew. (AVAudioEngine must
/// be started again by the program after a reset of the media services.)
public final class Synthesizer: Sendable {
  /// How it sounds, and how soon.
  public let configuration: SynthesizerConfiguration
  private let session: AudioSession
  private let engine = Engine()

  /// Makes a synthesizer that does not run.
  ///
  /// - Parameters:
  ///   - session: whose server and output it plays to.
  ///   - configuration: volume, envelope, filter, buffer.
  public init(
    session: AudioSession = .shared, configuration: SynthesizerConfiguration = .init()
  ) {
    self.session = session
    self.configuration = configuration
  }

  deinit {
    guard let parts = engine.take() else { return }
    // The kernel must outlive the audio thread that renders with it.
    Task { await parts.end() }
  }

  /// Opens a stream on the output, at the rate and with the channels that the device really has.
  ///
  /// While it waits for a server that is gone, it tries at once, and goes on waiting where that fails.
  ///
  /// - Throws: `alreadyStreaming`; `deviceNotAvailable`, `engineStartFailed` and `permissionDenied`
  ///   from the server; `engineInitFailed` where no thread can be had.
  public func start() async throws(StreamError) {
    guard let run = engine.reserve() else {
      throw StreamError(.alreadyStreaming, "the synthesizer runs already; stop it first")
    }
    try await open(run)
  }

  private func open(_ run: UInt64) async throws(StreamError) {
    var opened: RealtimeStream?
    do throws(StreamError) {
      var wish = wish
      wish.take(await session.place(.output))
      let stream = try RealtimeStream(wish) { [weak self, engine] signal in
        guard case .ended(let error?) = signal, engine.fail(run, error) else { return }
        Self.bringBack(self, run)
      }
      opened = stream
      let grant = try await stream.opened()
      let kernel = SynthKernel(
        configuration, sampleRate: Double(grant.rate), channels: grant.channels)
      let parts = SynthParts(
        kernel: kernel, stream: stream, bufferFrames: grant.bufferFrames,
        scheduling: grant.scheduling, longestRelease: configuration.longestRelease)
      guard engine.begin(run, parts) else {
        throw engine.failure
          ?? StreamError(.engineStartFailed, "the synthesizer was stopped while it started")
      }
      stream.start(ak_synth_render, context: UnsafeMutableRawPointer(kernel.pointer))
    } catch {
      // What the stream says of its end must not reach the next one.
      await opened?.close()
      _ = engine.fail(run, error)
      throw error
    }
  }

  /// Opens the stream of a run again as soon as that can be done, with growing pauses in between.
  private static func bringBack(_ synthesizer: Synthesizer?, _ run: UInt64) {
    Task { [weak synthesizer, session = synthesizer?.session] in
      var pause = Duration.milliseconds(10)
      while await synthesizer?.tryAgain(run) == true {
        try? await session?.sleep(until: .now + pause)
        pause = min(pause * 2, .milliseconds(500))
      }
    }
  }

  /// Whether it is to be tried once more.
  private func tryAgain(_ run: UInt64) async -> Bool {
    switch engine.retry(run) {
    case .open: (try? await open(run)) == nil
    case .wait: true
    case .giveUp: false
    }
  }

  private var wish: StreamWish {
    StreamWish(
      direction: .output, server: session.address, name: "Synthesizer",
      device: configuration.device, latency: configuration.bufferDuration,
      timeout: session.configuration.timeout)
  }

  /// Releases every note, waits until they have faded out and ends the stream; may be repeated. A
  /// server that is gone is waited for no longer.
  public func stop() async {
    guard let parts = engine.take() else { return }
    await parts.fadeOut()
    await parts.end()
  }

  /// Whether notes can be played.
  public var isRunning: Bool { engine.parts != nil }
  /// Why the stream ended by itself; nil while it runs, and after `stop()`.
  public var failure: StreamError? { engine.failure }
  /// The device's rate, Hz; nil while it does not run.
  public var sampleRate: Int? { engine.parts.map { Int($0.kernel.sampleRate) } }
  /// The frames that were mixed so far by the present stream; they are heard `bufferDuration` later.
  public var position: UInt64 { engine.parts?.kernel.position ?? 0 }
  /// How many notes a full queue has refused since `start()`.
  public var refusedEvents: UInt64 { engine.figures.refused }
  /// How often the server went since `start()` and a stream was opened again.
  public var resets: Int { engine.figures.resets }
  /// How the audio thread is scheduled; nil while it does not run.
  public var scheduling: Scheduling? { engine.parts?.scheduling }
  /// The figures of the stream; nil while it does not run.
  public var statistics: StreamStatistics? {
    engine.parts.map { parts in
      var statistics = parts.stream.statistics
      statistics.violations += parts.kernel.violations
      return statistics
    }
  }

  /// Begins a note now.
  ///
  /// - Parameters:
  ///   - pitch: MIDI's number, 0 to 127; 69 is A4, 440 Hz.
  ///   - velocity: how loud, 0...1.
  ///   - duration: from its begin to silence; nil sounds until `releaseNote`.
  /// - Returns: false where the queue is full: the note is not played, and is counted.
  /// - Throws: `invalidValue` for a pitch, velocity or duration out of its range;
  ///   `engineNotInitialized` before `start()`; `failure` while the output is away.
  @discardableResult
  public func triggerNote(
    pitch: Int, velocity: Velocity = .normal, duration: Duration? = nil
  ) throws(StreamError) -> Bool {
    try schedule(Note(pitch: pitch, velocity: velocity, duration: duration), at: 0)
  }

  /// Begins a note exactly at a frame of `position`; one that is past means now.
  ///
  /// Returns and throws as `triggerNote`.
  @discardableResult
  public func schedule(_ note: Note, at frame: UInt64) throws(StreamError) -> Bool {
    try kernel().play(note, at: frame)
  }

  /// Begins the release of every note of a pitch: three tenths of the time that it was held, at
  /// most `longestRelease`. Returns and throws as `triggerNote`.
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

/// What a running synthesizer is made of.
struct SynthParts: Sendable {
  let kernel: SynthKernel
  let stream: RealtimeStream
  /// What the server has ready to play.
  let bufferFrames: Int
  let scheduling: Scheduling
  /// How long a note may take to fade out.
  let longestRelease: Duration

  /// Releases all notes and waits until the last of them has been played; a second longer than that
  /// ought to take at most: a server that is frozen plays nothing more.
  func fadeOut() async {
    if kernel.isUntouched { return }
    // Until the release is mixed a buffer may pass, and two more until its end is played.
    let buffer = Duration.seconds(Double(bufferFrames) / kernel.sampleRate)
    let deadline = ContinuousClock.now + buffer * 3 + longestRelease + .seconds(1)
    while !kernel.releaseAll(), .now < deadline { await pause() }
    var quiet = kernel.position + 1
    while ContinuousClock.now < deadline {
      let position = kernel.position
      // What was mixed last is played when as much again has been mixed as the server keeps.
      if kernel.sounding > 0 { quiet = max(quiet, position + UInt64(2 * bufferFrames)) }
      if position >= quiet { return }
      await pause()
    }
  }

  private func pause() async { try? await Task.sleep(for: .milliseconds(2)) }

  /// Ends the stream; the kernel lives until its thread has ended.
  func end() async {
    await stream.close()
    withExtendedLifetime(kernel) {}
  }
}
