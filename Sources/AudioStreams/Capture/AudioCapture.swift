public import AudioSession
internal import POSIX
internal import Pulse
internal import PulseTypes
internal import SessionCore

/// Captures the session's input as buffers in the requested format.
///
/// The input is tapped at the device's actual rate and channels, whatever the mode prefers, and
/// then converted. When the route changes or the server restarts, the new input is tapped at its
/// own rate; the buffers continue in the requested format, and each one reports how many frames are
/// missing before it.
///
/// Methods may be called in any order, from any task, and concurrently: they run one after the
/// other.
public actor AudioCapture {
  /// The session whose input is captured.
  public nonisolated let session: AudioSession
  /// The current status.
  public private(set) var status = CaptureStatus.notInitialized

  var run: Run?
  let turns: Turns
  private nonisolated let readers = Readers<CaptureEvent>()
  private var observation: Task<Void, Never>?
  /// What the capture does by itself in its turn, and how many calls that end it wait for their turn.
  private var reaction: Task<Void, Never>?
  private var endings = 0
  /// Cancels the start or the resume in progress; and how many stops wait for their turn.
  private(set) var opening: (@Sendable () -> Void)?
  private var stops = 0
  var lastRun: UInt64 = 0
  /// Counts taps, of all runs; reports of earlier taps are ignored.
  var lastTap: UInt64 = 0
  /// Why the last run ended, if its sound could not be converted any more.
  var failure: StreamError?
  /// The figures of all taps that have ended.
  var statistics = StreamStatistics()

  /// One start of the capture and everything that belongs to it.
  struct Run {
    let id: UInt64
    let configuration: CaptureConfiguration
    let pipeline: CapturePipeline
    let queue: BufferQueue
    var tap: RealtimeStream?
    var grant: StreamGrant?
    /// The name of the source that is tapped, or was tapped last.
    var input: String?
    /// Where the session placed its streams when the tap was opened.
    var place = StreamPlace()
    /// The last tap that was opened, or tried; 0 before the first.
    var tapID: UInt64 = 0
    /// Whether the capture waits for an input and taps it as soon as possible.
    var isWaiting = false
    /// When the input went away, or stopped delivering; nil while sound comes.
    var awaySince: SuspendingClock.Instant?
    /// Since when no frames have come, also from inputs that were there in between (`HostClock`);
    /// outdated once frames come.
    var silentSince: Int64?
    /// Since when no server has answered; nil while one answers. Sleep of the machine does not count.
    var serverAwaySince: SuspendingClock.Instant?
    /// Whether a mode was in effect when the session was last interrupted.
    var hadMode = false
    /// Whether a call lasts during which the capture was resumed, and which it therefore records.
    var recordsCall = false
    /// Retries to open the tap in the meantime.
    var retry: Task<Void, Never>?
    /// Tasks that check whether the tap still gets frames, and sound.
    var watches: [Task<Void, Never>] = []
  }

  /// Makes a capture. Opens nothing until `start`.
  public init(session: AudioSession) {
    self.session = session
    turns = Turns(on: session.loop)
  }

  deinit {
    observation?.cancel()
    run?.retry?.cancel()
    for watch in run?.watches ?? [] { watch.cancel() }
    run?.queue.finish()
    readers.finish()
  }

  /// Whether buffers are being delivered now.
  public var isStreaming: Bool { status == .streaming }

  /// Rate (Hz) and channels of the input as it is tapped; nil while no tap is open.
  public var tapFormat: (sampleRate: Int, channels: Int)? {
    run?.grant.map { ($0.rate, $0.channels) }
  }

  /// When the awaited input went away; nil while it is tapped.
  var awaySince: SuspendingClock.Instant? { run?.awaySince }

  /// For how long no frames have come, although they should; nil while they come. Unlike
  /// `awaySince` it includes taps that opened and delivered nothing.
  var silence: Duration? {
    guard let run, let since = run.silentSince, run.pipeline.pulse.heard <= since else {
      return nil
    }
    return .nanoseconds(HostClock.nanoseconds - since)
  }

  /// Notes that no frames come from a time on, unless they had stopped before.
  func noteSilence(since time: Int64) {
    if silence == nil { run?.silentSince = time }
  }

  /// Since when no server has answered; nil while one answers.
  var serverAwaySince: SuspendingClock.Instant? { run?.serverAwaySince }

  /// How long the buffers so far are, with what is missing and what has not been read; nil while
  /// nothing runs.
  var captured: Duration? {
    guard let run, let rate = run.pipeline.report.format?.sampleRate else { return nil }
    return .seconds(Double(run.queue.end) / Double(rate))
  }

  /// Rate (Hz) and channels of the buffers; nil before the first tap is open.
  public var outputFormat: (sampleRate: Int, channels: Int)? { run?.pipeline.report.format }

  /// What the channels of the buffers are; nil if that is not known, or they are mixed.
  var channelMap: ChannelMap? { run?.pipeline.report.channelMap }

  /// How the audio thread is scheduled; nil while no tap is open.
  public var scheduling: Scheduling? { run?.grant?.scheduling }

  /// The figures of all taps so far, the open one included.
  public var streamStatistics: StreamStatistics {
    var sum = statistics
    if let tap = run?.tap { sum.add(tap.statistics) }
    return sum
  }

  /// The events from now on; each call returns an independent sequence.
  ///
  /// If more than 64 events are unread, a slow reader loses the oldest.
  public nonisolated var events: AsyncStream<CaptureEvent> { readers.makeStream(limit: 64) }

  func emit(_ event: CaptureEvent) { readers.send(event) }

  func set(_ status: CaptureStatus) {
    guard status != self.status else { return }
    self.status = status
    emit(.status(status, timestamp: HostClock.now))
  }

  /// Starts capturing, and returns the buffers once the first tap is open.
  ///
  /// Uses the session as it is: set its mode first. With `inputRequired = false` in that mode, a
  /// start without an input succeeds, and the capture waits for one: its status is `interrupted`
  /// until then. Errors: `invalidFormat` for an impossible
  /// configuration, `alreadyStreaming`, `sessionConfigFailed` if the session cannot connect,
  /// `deviceNotAvailable`, `permissionDenied`, `converterFailed`, `engineStartFailed`. A failed
  /// start leaves nothing open.
  ///
  /// The reader of the buffers owns the stream: the capture stops by itself when the last reference
  /// to the buffers is released (for example, `break` leaves a `for await`), or when the reading
  /// task is cancelled. The buffers do not keep the capture: keep it, too, or they end with it.
  public func start(
    _ configuration: CaptureConfiguration = .init()
  ) async throws(StreamError) -> CaptureBuffers {
    await turns.take()
    defer { turns.pass() }
    if run?.queue.isAbandoned == true { await end() }
    do throws(StreamError) {
      guard run == nil else {
        throw StreamError(.alreadyStreaming, "the capture is \(status.rawValue); stop it first")
      }
      try configuration.validate()
      set(.starting)
      return try await untilStopped { capture throws(StreamError) in
        try await capture.begin(configuration)
      }
    } catch {
      if stops > 0, run == nil, status == .starting {
        set(.stopped)
        set(.ready)
        throw Self.wasStopped
      }
      if run == nil, error.code != .alreadyStreaming { set(.failed) }
      emit(.error(error))
      throw error
    }
  }

  /// Stops the capture: ends the tap first, then the buffers. Has no effect if nothing runs; a start or a
  /// resume in progress fails at once.
  public func stop() async {
    stops += 1
    opening?()
    await takeTurnFromReactions()
    stops -= 1
    defer { turns.pass() }
    await end()
  }

  /// Stops the capture, removes its tap, and deactivates the session, in this order.
  ///
  /// The session restores the setup that was there before its mode, and keeps the mode for later.
  ///
  /// - Throws: `sessionConfigFailed` and `permissionDenied` if the session could not be deactivated;
  ///   the capture has stopped even so.
  public func stopAndDeactivateSession() async throws(StreamError) {
    await stop()
    do throws(SessionError) {
      try await session.setActive(false)
    } catch {
      throw StreamError(session: error, "the session could not be deactivated")
    }
  }

  /// Ends the tap until `resume`; the time in between does not count as missing.
  ///
  /// Errors: `engineNotInitialized` if no capture was started; `converterFailed` and
  /// `conversionFailed` if its sound could not be converted, which ends it.
  public func pause() async throws(StreamError) {
    await takeTurnFromReactions()
    defer { turns.pass() }
    try requireRun("pause")
    await judgeNow()
    await closeTap()
    if let failure = run?.pipeline.report.failure {
      fail(failure)
      throw failure
    }
    let isAway = run?.isWaiting == true || run?.awaySince != nil
    run?.isWaiting = false
    run?.awaySince = nil
    run?.silentSince = nil
    run?.serverAwaySince = nil
    run?.pipeline.pause(isAway: isAway, at: HostClock.nanoseconds)
    set(.paused)
  }

  /// Resumes after a pause, or before an interruption has ended. After a pause, during which a call or
  /// another interruption began, it waits for the end of that.
  ///
  /// Errors: `engineNotInitialized` if no capture was started; those of a start if the input cannot
  /// be tapped, and the status is then unchanged.
  public func resume() async throws(StreamError) {
    await turns.take()
    defer { turns.pass() }
    try requireRun("resume")
    guard run?.tap == nil else { return }
    if status == .paused, await session.mustGiveWay {
      // Like a start during a call; only who was interrupted by it may resume before its end.
      run?.pipeline.resume()
      return await giveWay()
    }
    // If the input is away, the time until its return counts as missing.
    let isPaused = run?.isWaiting == false && run?.awaySince == nil
    if isPaused { run?.pipeline.resume() }
    do throws(StreamError) {
      try await untilStopped { capture throws(StreamError) in try await capture.openTap() }
    } catch {
      if let failure = run?.pipeline.report.failure {
        fail(failure)
        throw failure
      }
      // The pause continues, also if a tap was open for a moment.
      if isPaused { run?.pipeline.resume() }
      if stops > 0 { throw Self.wasStopped }
      emit(.error(error))
      throw error
    }
    let recordsCall = await session.mustGiveWay
    run?.recordsCall = recordsCall
  }

  private static var wasStopped: StreamError {
    StreamError(.engineStartFailed, "the capture was stopped while it started")
  }

  /// Runs a start or a resume, in its turn, until a stop cancels it: it may wait for a server that does not
  /// answer.
  private func untilStopped<Value: Sendable>(
    _ body: @escaping @Sendable (isolated AudioCapture) async throws(StreamError) -> Value
  ) async throws(StreamError) -> Value {
    guard stops == 0 else { throw Self.wasStopped }
    let work = Task {
      await outcome { () async throws(StreamError) in try await body(self) }
    }
    opening = { work.cancel() }
    defer { opening = nil }
    return try await withTaskCancellationHandler {
      await work.value
    } onCancel: {
      work.cancel()
    }.get()
  }

  private func requireRun(_ action: String) throws(StreamError) {
    if run != nil { return }
    let error = StreamError(
      .engineNotInitialized, "nothing to \(action): the capture is \(status.rawValue)")
    emit(.error(error))
    throw error
  }

  /// Runs what the capture does by itself while no other change is in progress, for the current run or a
  /// certain one. A stop or a pause cancels it: it may wait for a server that does not answer.
  func react(
    in id: UInt64? = nil, _ body: @escaping @Sendable (isolated AudioCapture) async -> Void
  ) async {
    await turns.take()
    defer { turns.pass() }
    guard endings == 0, id == nil || run?.id == id else { return }
    let reaction = Task { await body(self) }
    self.reaction = reaction
    await reaction.value
    self.reaction = nil
  }

  func takeTurnFromReactions() async {
    endings += 1
    reaction?.cancel()
    await turns.take()
    endings -= 1
  }

  /// Listens to the session's events for a run: those of a session that was closed have ended.
  func observeSession(_ id: UInt64) {
    observation?.cancel()
    let (events, states) = (session.events, session.stateUpdates)
    observation = Task { [weak self] in
      await withTaskGroup { group in
        group.addTask { for await event in events { await self?.handle(event, in: id) } }
        // No event reports that a mode has ended.
        group.addTask {
          for await state in states where !state.active { await self?.modeChanged(id) }
        }
      }
    }
  }

  /// Listens no more: a session without readers need not follow its server. Call it last, because the
  /// observing task itself may have ended the run.
  func ignoreSession() {
    observation?.cancel()
    observation = nil
  }
}
