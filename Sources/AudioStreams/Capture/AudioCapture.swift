public import AudioSession
internal import Pulse
internal import PulseTypes
internal import SessionCore

/// Captures the session's input, as buffers in the format that is asked for.
///
/// The input is tapped at the rate and with the channels that the device really has, whatever was
/// wished, and converted after that. When the route changes or the server restarts, the new input is
/// tapped at its own rate, and the buffers go on in the asked format; each says how many frames are
/// missing before it.
///
/// Calls may come in any order, from anywhere, and at the same time: they run one after the other.
public actor AudioCapture {
  /// The session whose input is captured.
  public nonisolated let session: AudioSession
  /// What it is doing.
  public private(set) var status = CaptureStatus.notInitialized

  var run: Run?
  private var turns = Turns()
  private var readers: [UInt64: AsyncStream<CaptureEvent>.Continuation] = [:]
  private var lastReader: UInt64 = 0
  private var observation: Task<Void, Never>?
  var lastRun: UInt64 = 0
  /// The figures of all taps that have ended.
  var statistics = StreamStatistics()

  /// A start and all that belongs to it.
  struct Run {
    let id: UInt64
    let configuration: CaptureConfiguration
    let pipeline: CapturePipeline
    let queue: BufferQueue
    var tap: RealtimeStream?
    var grant: StreamGrant?
    /// The name of the source that is tapped, or was last.
    var input: String?
    /// What the session said of its streams when it was tapped.
    var place = StreamPlace()
    /// Counts taps: what a former one says means nothing.
    var tapID: UInt64 = 0
    /// Whether the input is away, or was taken, and is to be tapped as soon as it can be.
    var isWaiting = false
    /// Since when the input has been away.
    var awaySince: ContinuousClock.Instant?
    /// Tries to tap again meanwhile.
    var retry: Task<Void, Never>?
    /// Looks whether the tap lives.
    var life: Task<Void, Never>?
  }

  /// Makes a capture; nothing is opened before it starts.
  public init(session: AudioSession) { self.session = session }

  deinit {
    observation?.cancel()
    run?.retry?.cancel()
    run?.life?.cancel()
    run?.queue.finish()
    for reader in readers.values { reader.finish() }
  }

  /// Whether buffers come now.
  public var isStreaming: Bool { status == .streaming }

  /// Hz and channels of the input as it is tapped; nil while it is not.
  public var tapFormat: (sampleRate: Int, channels: Int)? {
    run?.grant.map { ($0.rate, $0.channels) }
  }

  /// Since when the input has been away, and is waited for; nil while it is not.
  var awaySince: ContinuousClock.Instant? { run?.awaySince }

  /// Hz and channels of the buffers; nil while nothing was started.
  public var outputFormat: (sampleRate: Int, channels: Int)? { run?.pipeline.format }

  /// How the audio thread is scheduled; nil while nothing is tapped.
  public var scheduling: Scheduling? { run?.grant?.scheduling }

  /// The figures of all taps so far.
  public var streamStatistics: StreamStatistics {
    var sum = statistics
    if let tap = run?.tap { sum.add(tap.statistics) }
    return sum
  }

  /// What happens from now on; each call makes a sequence of its own.
  ///
  /// A reader that is slow loses the oldest of more than 64 unread events.
  public var events: AsyncStream<CaptureEvent> {
    lastReader += 1
    let id = lastReader
    let (stream, continuation) = AsyncStream.makeStream(
      of: CaptureEvent.self, bufferingPolicy: .bufferingNewest(64))
    continuation.onTermination = { [weak self] _ in
      Task { [weak self] in await self?.removeReader(id) }
    }
    readers[id] = continuation
    return stream
  }

  private func removeReader(_ id: UInt64) { readers[id] = nil }

  func emit(_ event: CaptureEvent) {
    for reader in readers.values { reader.yield(event) }
  }

  func set(_ status: CaptureStatus) {
    guard status != self.status else { return }
    self.status = status
    emit(.status(status, timestamp: HostClock.now))
  }

  /// Starts to capture, and returns the buffers once the first tap is open.
  ///
  /// The session is used as it is: set its mode first. Errors: `invalidFormat` for a configuration
  /// that cannot be, `alreadyStreaming`, `sessionConfigFailed` where the session cannot connect,
  /// `deviceNotAvailable`, `permissionDenied`, `converterFailed`, `engineStartFailed`. A failed start
  /// leaves nothing open.
  ///
  /// Whoever reads the buffers owns the stream: when the last reference to them goes (a `for await`
  /// that is left by `break`), or the task that reads is cancelled, the capture stops by itself.
  public func startAudioStream(
    _ configuration: CaptureConfiguration = .init()
  ) async throws(StreamError) -> CaptureBuffers {
    await takeTurn()
    defer { turns.pass() }
    if run?.queue.isAbandoned == true { await end() }
    do throws(StreamError) {
      guard run == nil else {
        throw StreamError(.alreadyStreaming, "the capture is \(status.rawValue); stop it first")
      }
      try configuration.validate()
      set(.starting)
      return try await begin(configuration)
    } catch {
      if run == nil, error.code != .alreadyStreaming { set(.failed) }
      emit(.error(error))
      throw error
    }
  }

  /// Stops: the tap ends first, then the buffers. Nothing happens where nothing runs.
  public func stopAudioStream() async {
    await takeTurn()
    defer { turns.pass() }
    await end()
  }

  /// Ends the tap until `resumeAudioStream`; the time until then is not missing.
  ///
  /// Errors: `engineNotInitialized` where nothing was started.
  public func pauseAudioStream() async throws(StreamError) {
    await takeTurn()
    defer { turns.pass() }
    try requireRun("pause")
    await closeTap()
    run?.isWaiting = false
    run?.awaySince = nil
    run?.pipeline.pause()
    set(.paused)
  }

  /// Goes on after a pause, or before an interruption has ended.
  ///
  /// Errors: `engineNotInitialized` where nothing was started; as for a start where the input cannot
  /// be tapped: it stays paused then.
  public func resumeAudioStream() async throws(StreamError) {
    await takeTurn()
    defer { turns.pass() }
    try requireRun("resume")
    guard run?.tap == nil else { return }
    // Where the input is away, the time until it is back is missing.
    if run?.isWaiting == false { run?.pipeline.resume() }
    do throws(StreamError) {
      try await openTap()
    } catch {
      emit(.error(error))
      throw error
    }
  }

  private func requireRun(_ action: String) throws(StreamError) {
    if run != nil { return }
    let error = StreamError(
      .engineNotInitialized, "nothing to \(action): the capture is \(status.rawValue)")
    emit(.error(error))
    throw error
  }

  /// Runs a body when no other change is under way.
  func inTurn(_ body: (isolated AudioCapture) async -> Void) async {
    await takeTurn()
    defer { turns.pass() }
    await body(self)
  }

  private func takeTurn() async {
    if turns.takeIfFree() { return }
    await withCheckedContinuation { turns.enqueue($0) }
  }

  /// Listens to the session for as long as there is a capture.
  func observeSession() async {
    guard observation == nil else { return }
    let events = await session.events
    observation = Task { [weak self] in
      for await event in events { await self?.handle(event) }
    }
  }
}
