import Glibc
public import PulseTypes
public import SessionCore

extension AudioSession {
  /// Returns the preferred and actual settings, and why they differ, as read from the server now.
  ///
  /// Uses this session's mode, otherwise the stored one. Throws if the server cannot be reached;
  /// `storedState()` still has the mode.
  public func getSessionState() async throws(SessionError) -> SessionState {
    reopenIfShared()
    return try await sessionState(Deadline(after: configuration.timeout))
  }

  func sessionState(_ deadline: Deadline) async throws(SessionError) -> SessionState {
    let live = try await connected(deadline)
    return try await state(live, store(live))
  }

  /// Returns the stored mode without a server: every preference is pending, no actual value is
  /// known.
  public func storedState() -> SessionState {
    let store = store(nil)
    let stored = (try? store.mode()) ?? nil
    var state = SessionState(
      input: nil, mode: stored?.mode ?? AudioMode(), server: nil, profile: stored?.profile,
      active: false)
    state.notes = store.problems
    // One that waits for the server.
    if let owner = SessionLock.livingOwner(store.lockPath), owner.isHolding {
      state.holder = SessionState.Holder(pid: owner.pid, name: owner.name)
    }
    return state
  }

  /// Whether it is unknown which settings should be in effect: the stored mode cannot be read, or was damaged
  /// and set aside.
  package var hasUnreadableMode: Bool {
    get async {
      let store = await storeInForce(store(live))
      do throws(SessionError) { _ = try storedMode(store) } catch { return true }
      return store.hasLostMode
    }
  }

  /// The route for streams now; in scope `.application`, that of this program's streams. Throws as
  /// `getSessionState()`.
  public var currentRoute: Route {
    get async throws(SessionError) {
      scope == .server ? try await snapshot().route : try await getSessionState().route
    }
  }

  /// The inputs that can be preferred: hardware sources; no monitors, and none that the session
  /// made. Throws as `getSessionState()`.
  public var availableInputs: [Device] {
    get async throws(SessionError) { try await snapshot().hardware(.input) }
  }

  /// The outputs that can be preferred. Throws as `getSessionState()`.
  public var availableOutputs: [Device] {
    get async throws(SessionError) { try await snapshot().hardware(.output) }
  }

  /// The codecs of the current output; empty if it is not a Bluetooth device, or the server does
  /// not report them. `AudioMode.outputCodec` selects one. Throws as
  /// `getSessionState()`.
  public var availableCodecs: [Codec] {
    get async throws(SessionError) { try await outputCard()?.codecs ?? [] }
  }

  /// The codec of the current output; nil if unknown, as above. Throws as `getSessionState()`.
  public var currentCodec: Codec? {
    get async throws(SessionError) {
      let card = try await outputCard()
      return card?.codecs?.first { $0.name == card?.activeCodec }
    }
  }

  private func outputCard() async throws(SessionError) -> Card? {
    let snapshot = try await snapshot()
    return snapshot.chain.defaultRoot(.output).flatMap { snapshot.card(of: $0) }
  }

  /// The categories for which the machine has devices. Throws as `getSessionState()`.
  public var availableCategories: [Category] {
    get async throws(SessionError) {
      let snapshot = try await snapshot()
      return Category.allCases.filter { category in
        category.directions.allSatisfy { snapshot.canServe($0) }
          && (category != .multiRoute || snapshot.hardware(.output).count > 1)
      }
    }
  }

  /// The modes that a session can have.
  ///
  /// Each has an effect: processing, no processing, or the role of this program's streams. The
  /// verdict of `mode` in the state shows whether the server has met it.
  public nonisolated var availableModes: [Mode] { Mode.allCases }

  /// Returns the server's actual state: every card, device, stream, module and client.
  package func snapshot() async throws(SessionError) -> ServerSnapshot {
    reopenIfShared()
    let deadline = Deadline(after: configuration.timeout)
    return try await connected(deadline).snapshot
  }

  /// The server from the last reading, by the call before: another one would only delay what is shown.
  package var lastSnapshot: ServerSnapshot? { get async { await live?.snapshot } }

  /// Returns the current setup as a mode that names devices by their stable properties; changes
  /// nothing.
  ///
  /// Values that a server does not show, such as the category, are taken from the mode in effect.
  package func capturedSetup() async throws(SessionError) -> CapturedSetup {
    reopenIfShared()
    let live = try await connected(Deadline(after: configuration.timeout))
    let store = store(live)
    let mode = ((try? storedMode(store)) ?? nil).flatMap { $0.isActive ? $0.mode : nil }
    let baseline = life.held?.baseline ?? (try? store.baseline()) ?? Baseline()
    return CapturedSetup(of: await live.snapshot, current: mode, baseline: baseline)
  }

  func currentMode(_ store: SessionStore) throws(SessionError) -> OwnMode? {
    if let own = life.mode { return own }
    return try storedMode(store).map { OwnMode(mode: $0.mode, profile: $0.profile) }
  }

  /// The current mode, if it is to be in effect.
  func modeInForce(_ store: SessionStore) throws(SessionError) -> OwnMode? {
    guard life.mode == nil else { return life.modeInEffect }
    return try storedMode(store)?.isActive == true ? try currentMode(store) : nil
  }

  func storedMode(_ store: SessionStore) throws(SessionError) -> StoredMode? {
    guard let held = life.held else { return try store.mode() }
    return life.mode.map {
      StoredMode(
        mode: $0.mode, profile: $0.profile, generation: held.generation, isActive: life.isActive)
    }
  }

  /// The state for the mode in effect, from the current snapshot.
  func state(_ live: LiveServer, _ store: SessionStore) async throws(SessionError) -> SessionState {
    let store = await storeInForce(store)
    let stored = (try? storedMode(store)) ?? nil
    // Another process may have applied the mode, or this one before it released the session.
    let input = try await input(
      AudioMode(), live, store, isExplicit: false, reporting: stored?.generation)
    var state = await state(live, store, input, stored)
    state.notes += life.held.map { [$0.baseline.newerNote].compactMap { $0 } } ?? store.problems
    return state
  }

  /// The state for a mode; the input has all other parts.
  func state(
    _ live: LiveServer, _ store: SessionStore, _ input: PlanInput, _ stored: StoredMode?
  ) async -> SessionState {
    var input = input
    // An inactive mode is kept for later; the server need not match it.
    input.mode = overridden(stored.flatMap { $0.isActive ? $0.mode : nil } ?? AudioMode())
    input.snapshot = await live.snapshot
    input.grants = await live.grants()
    input.isExplicit = false
    let (owner, shared) = await otherHolder(store)
    if let owner { input.trust(owner, shared) }
    let info = input.snapshot.server
    var state = SessionState(
      input: input, mode: input.mode,
      server: SessionState.Server(
        kind: info.kind, name: info.name, version: info.version,
        address: live.names.address),
      profile: stored?.profile, active: stored?.isActive ?? false)
    state.notes = broadcast.shown.storeNotes
    state.scope = scope
    state.pins = await live.pinList()
    state.interrupted = upkeep.rules.interruptions.isInterrupted
    if let since = life.since {
      state.holder = SessionState.Holder(
        pid: getpid(), name: ProcessName.own, since: since)
      state.events = broadcast.history
      state.resets = upkeep.resets
      state.reapplies = upkeep.reapplies
      state.conflicts = upkeep.rules.conflicts.yielded(at: upkeep.now).map(\.title).sorted()
    } else if let owner {
      state.holder = SessionState.Holder(pid: owner.pid, name: owner.name)
      if let shared { state.adopt(shared) }
      // The holder is not interrupted by itself; a session that it has taken over is.
      if upkeep.rules.interruptions.isInterrupted { state.interrupted = true }
    }
    return state
  }

  /// Another process that holds the session, and the last state that it wrote.
  func otherHolder(
    _ store: SessionStore
  ) async -> (owner: LockRecord.Owner?, shared: SessionState?) {
    guard life.lock == nil, let owner = await holder(store), owner.isHolding else {
      return (nil, nil)
    }
    // A new holder may not have written yet; then the state is a former holder's.
    let shared = try? store.holdersState()
    return (owner, shared?.holder?.pid == owner.pid ? shared : nil)
  }
}

extension PlanInput {
  /// Treats the pins of another holding process as held, and its streams as the session's own program's.
  mutating func trust(_ holder: LockRecord.Owner, _ shared: SessionState?) {
    holdsPins = true
    process = holder.pid
    for pin in shared?.pins ?? [] {
      guard let latency = pin.latency else { continue }
      for direction in Direction.allCases {
        grants[.latency(direction, device: pin.device)] = Duration(saturatingSeconds: latency)
      }
    }
  }
}
