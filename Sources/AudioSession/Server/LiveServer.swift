import Pulse
import PulseTypes
import SessionCore

/// A connected server with a snapshot that its events keep current, and the pins on it.
///
/// Runs on the client's loop, so calls between it, the client and the session change no thread. An
/// event is noted as a change; the next `refresh` asks for just what changed. Nothing is queued.
actor LiveServer {
  nonisolated let client: PulseClient
  nonisolated let address: String
  private(set) var snapshot: ServerSnapshot
  /// What sets the server apart: asked for at each event.
  private let traits: ServerTraits
  /// The process whose own streams alone the session is about.
  private(set) var viewer: Int32?
  private var changes = SnapshotChanges()
  private var isStale = false
  private var isReading = false
  var isProbing = false
  private var waiters: [UInt64: PulseLoop.Wait] = [:]
  private var nextWaiter: UInt64 = 0
  private(set) var lost: SessionError?
  /// How often an answer was waited for, pipelined requests together counting once.
  private(set) var roundTrips = 0
  private var changeHandler: (@Sendable (PulseEvent?) -> Void)?
  var pins: [Setting: PulseStream] = [:]
  /// The buffer that a pin of a latency is for, in the words of PipeWire's property.
  var quanta: [Setting: String] = [:]
  /// What the server is to remember of the streams of others that were silenced or ducked.
  var memories: [Index<PulseTypes.Stream>: StreamMemory] = [:]
  /// The last of them of each program's streams that have ended.
  var endedMemories: [String: StreamMemory] = [:]
  nonisolated let memoryKeeper: StreamMemoryKeeper
  /// The profiles of Bluetooth cards that have no codecs.
  private var codecless: Set<String> = []
  /// Whether the server tells this connection a default that is no more.
  var isMisled = false
  /// Pins that were closed and may still be listed.
  var closing: Set<Index<PulseTypes.Stream>> = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { client.unownedExecutor }

  init(_ client: PulseClient, _ address: String, _ snapshot: ServerSnapshot) {
    self.client = client
    self.address = address
    memoryKeeper = StreamMemoryKeeper(client.loop, address)
    self.snapshot = snapshot
    traits = snapshot.server.kind.traits
    self.snapshot.findPlaces(properties: Owned.soughtProperties)
  }

  func listen(_ early: EarlyEvents) async {
    await client.setEventHandler { [weak self] event in
      self?.assumeIsolated { $0.note(event) }
    }
    await client.setDisconnectHandler { [weak self] error in
      self?.assumeIsolated { $0.end(SessionError(error)) }
    }
    for event in early.take() { note(event) }
  }

  private func note(_ event: PulseEvent) {
    changes.note(event)
    if traits.contains(.silentMoves) { isStale = true }
    wakeWaiters()
    // A new or changed client is of no interest before one of its streams is.
    if event.facility != .client { changeHandler?(event) }
  }

  func end(_ error: SessionError) {
    lost = error
    wakeWaiters()
    changeHandler?(nil)
  }

  /// Sets what is called on the loop's thread whenever something may have changed; without an event
  /// where the connection is lost.
  func setChangeHandler(_ handler: (@Sendable (PulseEvent?) -> Void)?) { changeHandler = handler }

  func countRoundTrip() { roundTrips += 1 }

  private func wakeWaiters() {
    let woken = waiters.values
    waiters = [:]
    for waiter in woken { waiter.end() }
  }

  /// Lets the next refresh read everything anew: after a write that got no answer. The server may
  /// still carry it out, and answers what it is asked next only after that.
  func doubt() { isStale = true }

  /// Takes the server as a session of one program sees it, or of all.
  func see(as viewer: Int32?) {
    self.viewer = viewer
    snapshot.viewer = viewer
  }

  /// Lets the next refresh read an object again, whether or not its event has come: the server can
  /// answer the next question before it sends the events of the last write.
  func mark(_ object: ObjectID) { changes.insert(object) }

  /// Lets the next refresh have a module that was loaded, without a question: see
  /// `PulseClient.snapshot`.
  func noteLoading(_ module: Module) { changes.load(module) }

  func noteUnloading(_ module: Index<Module>) { changes.unload(module) }

  /// Brings the snapshot up to the server's last event.
  ///
  /// One reading at a time: two at once would each drop what the other finds, and one whose events
  /// the other has taken would return what is old. What was so when this was called is in the
  /// result; where others change the server faster than it can be read, what came since may not be.
  ///
  /// - Parameters:
  ///   - objects: objects that are read again even without an event.
  ///   - rounds: how often to read again what has changed during the last reading.
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

  /// Reads everything anew: no event tells of a latency, and one that tells of a stream may still be
  /// on its way when another client's answer has come.
  func reread(deadline: Deadline) async throws(SessionError) {
    isStale = true
    try await refresh(deadline: deadline)
  }

  /// The second round has what our own write before the first led to; the rest is for others' doing.
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
    countRoundTrip()
    let patience = answerTime(deadline)
    do throws(PulseError) {
      // Events that come while this waits are changes for the next round.
      let base = snapshot
      var read =
        if !isWhole {
          try await client.refreshed(base, asked, timeout: patience)
        } else if base.has(.earlyReplies) {
          try await client.snapshot(timeout: patience)
        } else {
          try await client.snapshot(since: base, asked, timeout: patience)
        }
      var codecless = codecless
      await Self.addCodecs(
        of: client, to: &read, since: isWhole ? nil : asked.objects, codecless: &codecless)
      self.codecless = codecless
      if isMisled { read.server = try await freshServerInfo(deadline) }
      snapshot = read.attributed
      snapshot.viewer = viewer
      snapshot.findPlaces(properties: Owned.soughtProperties)
    } catch {
      noteSilence(error, after: patience)
      changes.merge(asked)
      isStale = isStale || isWhole
      throw SessionError(error)
    }
  }

  /// Waits until the snapshot satisfies a condition; false when the deadline passes first.
  ///
  /// An acknowledgement alone proves nothing (pipewire-pulse acknowledges before it acts): each event
  /// leads to a new reading. On PipeWire so does a while without one, short at first: it connects a
  /// stream to a device without an event.
  ///
  /// - Parameter answer: the deadline of each reading; a patience that ends during one is no fault of
  ///   the server's.
  func wait(
    deadline: Deadline, answer: Deadline? = nil, for condition: (ServerSnapshot) -> Bool
  ) async throws(SessionError) -> Bool {
    var silence = Duration.milliseconds(2)
    var hasAnswer = false
    while true {
      do throws(SessionError) {
        try await refresh(deadline: answer ?? deadline)
        hasAnswer = true
      } catch {
        // A server that has answered all the while is not silent: the last question had no time left.
        guard hasAnswer, error.code == .timedOut, deadline.hasPassed, lost == nil else {
          throw error
        }
      }
      if condition(snapshot) { return true }
      if let lost { throw lost }
      if deadline.hasPassed { return false }
      guard changes.isEmpty else { continue }
      if snapshot.has(.silentMoves) {
        await pause(Deadline(after: min(silence, deadline.remaining)))
        silence = min(silence * 2, .milliseconds(50))
        isStale = true
      } else {
        await pause(deadline)
      }
    }
  }

  /// Waits for an event, the end of a reading, or the deadline.
  private func pause(_ deadline: Deadline) async {
    guard lost == nil else { return }
    nextWaiter += 1
    let id = nextWaiter
    let wait = PulseLoop.Wait()
    waiters[id] = wait
    let alarm = deadline.onPassing(on: client.loop) { [weak self] in await self?.wake(id) }
    await wait.pass(on: client.loop)
    alarm.cancel()
  }

  private func wake(_ id: UInt64) { waiters.removeValue(forKey: id)?.end() }

  /// Closes the pins and the connection.
  func close() async {
    changeHandler = nil
    await memoryKeeper.stop()
    await closePins()
    await client.close()
  }

  func closePins() async {
    for pin in pins.values { await pin.close() }
    pins = [:]
    quanta = [:]
  }
}
