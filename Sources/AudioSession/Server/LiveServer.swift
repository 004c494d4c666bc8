import POSIX
import Pulse
import PulseTypes
import SessionCore

/// A connected server with a snapshot that its events keep current, and the session's pins.
///
/// Runs on the client's loop, so calls between it, the client and the session do not change
/// threads. An event only marks a change; the next `refresh` reads just what changed. Nothing is
/// queued.
actor LiveServer {
  nonisolated let client: PulseClient
  nonisolated let address: String
  nonisolated let names: SessionStore.Server
  private(set) var snapshot: ServerSnapshot
  /// The server's traits, cached because each event needs them.
  private let traits: ServerTraits
  /// The process whose streams alone the session controls; nil for all.
  private(set) var viewer: Int32?
  var changes = SnapshotChanges()
  private var isStale = false
  private var isReading = false
  var isProbing = false
  private var waiters: [UInt64: PulseLoop.Wait] = [:]
  private var nextWaiter: UInt64 = 0
  private(set) var lost: SessionError?
  /// How often an answer was awaited; pipelined requests count once.
  var roundTrips = 0
  /// What the server has reported since this connection was made.
  private(set) var reported = Reports()
  private var changeHandler: (@Sendable (PulseEvent?) -> Void)?
  var pins: [Setting: PulseStream] = [:]
  /// The buffer that a pin requests for a latency, in the syntax of PipeWire's property.
  var quanta: [Setting: String] = [:]
  /// The buffers that PipeWire's graph had when the pins of latencies last ran.
  var cycles: [Setting: Duration] = [:]
  /// How many measurements of them are asked for.
  var cycleRequests = 0
  /// The values that the server is to store for silenced or ducked streams of other programs.
  var memories: [Index<PulseTypes.Stream>: StreamMemory] = [:]
  /// The latest of them for each program's ended streams.
  var endedMemories: [String: StreamMemory] = [:]
  /// The devices that the server is to store for the streams that a session of one program moved.
  var places: [Setting: StreamPlaceMemory] = [:]
  nonisolated let memoryKeeper: StreamMemoryKeeper
  /// The profiles of Bluetooth cards that have no codecs.
  private var codecless: Set<String> = []
  /// When the server did not answer the request for a stream; nil if it answered the last one.
  var lateStream: ContinuousClock.Instant?
  /// Whether the server reports an outdated default to this connection.
  var isMisled = false
  /// The last answer to a new connection, for the reads that follow at once.
  var lastFresh: (info: ServerInfo, at: ContinuousClock.Instant)?
  /// Pins that were closed and may still be listed.
  var closing: Set<Index<PulseTypes.Stream>> = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { client.unownedExecutor }

  init(_ client: PulseClient, _ address: String, _ snapshot: ServerSnapshot) {
    self.client = client
    self.address = address
    names = SessionStore.Server(address)
    memoryKeeper = StreamMemoryKeeper(client.loop, address)
    self.snapshot = snapshot
    traits = snapshot.traits
    self.snapshot.findPlaces(properties: Owned.soughtProperties)
  }

  func listen(_ early: Guarded<[PulseEvent]>) async {
    await client.setEventHandler { [weak self] event in
      self?.assumeIsolated { $0.note(event, isReading: $0.isReading) }
    }
    await client.setDisconnectHandler { [weak self] error in
      self?.assumeIsolated { $0.end(SessionError(error)) }
    }
    for event in early.withLock({ $0 }) { note(event, isReading: true) }
  }

  private func note(_ event: PulseEvent, isReading: Bool) {
    // The event of an object may come after the answer that lists it.
    changes.note(
      event, isReading: isReading || event.kind == .new && snapshot.lists(event.object))
    reported.note(event)
    if traits.contains(.silentMoves) { isStale = true }
    wakeWaiters()
    // A new or changed client matters only once one of its streams does.
    if event.facility != .client { changeHandler?(event) }
  }

  func end(_ error: SessionError) {
    lost = error
    wakeWaiters()
    changeHandler?(nil)
  }

  /// Sets the handler that is called on the loop's thread when something may have changed; without
  /// an event if the connection is lost.
  func setChangeHandler(_ handler: (@Sendable (PulseEvent?) -> Void)?) { changeHandler = handler }

  private func wakeWaiters() {
    let woken = waiters.values
    waiters = [:]
    for waiter in woken { waiter.end() }
  }

  /// Whether the server has reported no change of some objects since a moment; false if the
  /// connection is younger, or lost.
  func hasReportedNothing(
    of objects: Set<ObjectID>, since moment: SuspendingClock.Instant
  ) -> Bool {
    lost == nil && reported.haveNone(of: objects, since: moment)
  }

  /// Whether the server has reported changes that were not read.
  var isOutdated: Bool { isStale || !changes.isEmpty }

  /// Makes the next refresh read everything: for writes without an answer. The server may still
  /// carry out the write, but does so before it answers the next request.
  func doubt() { isStale = true }

  /// Shows the server as the session of one program sees it, or of all.
  func see(as viewer: Int32?) {
    self.viewer = viewer
    snapshot.viewer = viewer
  }

  /// Makes the next refresh read an object even without its event: the server can answer the next
  /// request before it sends the events of the last write.
  func mark(_ object: ObjectID) { changes.insert(object) }

  /// Updates the snapshot to the server's last event.
  ///
  /// Only one read at a time: of two, each would drop what the other finds, and one whose events
  /// the other has taken would return old values. The result is at least as new as this call; if
  /// others change the server faster than it can be read, later changes may be missing.
  ///
  /// - Parameters:
  ///   - objects: objects to read even without an event.
  ///   - rounds: how often to repeat for what changed during the last read.
  @discardableResult
  func refresh(
    _ objects: Set<ObjectID> = [], rounds most: Int = mostRounds, deadline: Deadline
  ) async throws(SessionError) -> ServerSnapshot {
    for object in objects { changes.insert(object) }
    if let lost { throw lost }
    var rounds = 0
    while isReading || ((isStale || !changes.isEmpty) && rounds < most) {
      if let lost { throw lost }
      if isReading {
        if Task.isCancelled { throw SessionError.cancelled }
        guard !deadline.hasPassed else { throw Self.readingTimedOut }
        await pause(deadline)
      } else {
        rounds += 1
        try await read(deadline)
        if deadline.hasPassed { break }
      }
    }
    return snapshot
  }

  /// Reads everything again: there is no event for a latency, and a stream's event may still be on
  /// its way when another client already has its answer.
  func reread(deadline: Deadline) async throws(SessionError) {
    isStale = true
    try await refresh(deadline: deadline)
  }

  /// The second round reads the effects of our own write before the first; the others are for other
  /// programs' changes.
  static let mostRounds = 8

  private static let readingTimedOut = SessionError(
    .timedOut, stage: .server,
    "timed out waiting for the server to list what it has; try again; it may be frozen or overloaded"
  )

  private func read(_ deadline: Deadline) async throws(SessionError) {
    let (asked, isWhole) = (changes, isStale)
    (changes, isStale) = (SnapshotChanges(), false)
    isReading = true
    defer {
      isReading = false
      wakeWaiters()
    }
    roundTrips += 1
    let patience = answerTime(deadline)
    do throws(PulseError) {
      // Events during this read are changes for the next round.
      let base = snapshot
      var read =
        if !isWhole {
          try await client.refreshed(base, asked, timeout: patience)
        } else if base.has(.earlyReplies) {
          try await client.everything(timeout: patience)
        } else {
          try await client.snapshot(since: base, asked, timeout: patience)
        }
      var codecless = codecless
      try await Self.addCodecs(
        of: client, to: &read, since: isWhole ? nil : asked.objects, codecless: &codecless,
        deadline: deadline)
      self.codecless = codecless
      if isMisled { read.server = try await recentServerInfo(deadline) }
      snapshot = read.attributed
      if isWhole { snapshot.keep(base) }
      snapshot.viewer = viewer
      snapshot.findPlaces(properties: Owned.soughtProperties)
    } catch {
      noteSilence(error, after: patience)
      changes.merge(asked)
      isStale = isStale || isWhole
      throw SessionError(error)
    }
  }

  /// Waits until the snapshot satisfies a condition; false if the deadline passes first. Throws
  /// `cancelled` if the task is cancelled.
  ///
  /// An acknowledgement proves nothing, because pipewire-pulse acknowledges before it acts: each
  /// event leads to a new read. On PipeWire a pause without events, short at first, does so too: it
  /// connects a stream to a device without an event.
  ///
  /// - Parameter answer: the deadline of each read; if the wait ends during one, the server is not
  ///   at fault.
  func wait(
    deadline: Deadline, answer: Deadline? = nil, for condition: (ServerSnapshot) -> Bool
  ) async throws(SessionError) -> Bool {
    var pauses = Pauses(from: .milliseconds(2), upTo: .milliseconds(50))
    var hasAnswer = false
    while true {
      do throws(SessionError) {
        try await refresh(deadline: answer ?? deadline)
        hasAnswer = true
      } catch {
        // A server that has answered so far is not silent: the last request just had no time left.
        guard hasAnswer, error.code == .timedOut, deadline.hasPassed, lost == nil else {
          throw error
        }
      }
      if condition(snapshot) { return true }
      if let lost { throw lost }
      if Task.isCancelled { throw SessionError.cancelled }
      if deadline.hasPassed { return false }
      guard changes.isEmpty else { continue }
      if snapshot.has(.silentMoves) {
        await pause(Deadline(after: min(pauses.next(), deadline.remaining)))
        isStale = true
      } else {
        await pause(deadline)
      }
    }
  }

  /// Waits for an event, the end of a reading, the deadline, or the task's cancellation.
  private func pause(_ deadline: Deadline) async {
    guard lost == nil else { return }
    nextWaiter += 1
    let id = nextWaiter
    let wait = PulseLoop.Wait()
    waiters[id] = wait
    let alarm = deadline.onPassing(on: client.loop) { [weak self] in await self?.wake(id) }
    await withTaskCancellationHandler {
      await wait.pass(on: client.loop)
    } onCancel: {
      Task { await wake(id) }
    }
    alarm.cancel()
  }

  private func wake(_ id: UInt64) { waiters.removeValue(forKey: id)?.end() }

  /// Closes the pins and the connection.
  func close() async {
    changeHandler = nil
    await memoryKeeper.stop()
    await closePins()
    await client.endStreams()
    await client.close()
  }

  func closePins() async {
    for pin in pins.values { await pin.close() }
    (pins, quanta, cycles) = ([:], [:], [:])
  }
}
