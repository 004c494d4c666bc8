import Glibc
import Pulse
public import PulseTypes
public import SessionCore

extension AudioSession {
  /// What is wished, what is, and why they differ, read from the server now.
  ///
  /// The wish is this session's, else the stored one. Throws where the server cannot be reached;
  /// `storedState()` has the wish then.
  public func getSessionState() async throws(SessionError) -> SessionState {
    reopenIfShared()
    return try await sessionState(Deadline(after: configuration.timeout))
  }

  func sessionState(_ deadline: Deadline) async throws(SessionError) -> SessionState {
    let live = try await connected(deadline)
    return try await state(live, store(live))
  }

  /// The stored wish without a server: every preference is pending, nothing is known.
  public func storedState() throws(SessionError) -> SessionState {
    let store = store(nil)
    let wish = (try? store.wish()) ?? nil
    var state = SessionState(
      input: nil, wish: wish?.mode ?? AudioMode(), server: nil, profile: wish?.profile,
      active: false)
    state.notes = store.problems
    return state
  }

  /// The route that a program with no wish of its own gets now.
  public var currentRoute: Route {
    get async throws(SessionError) {
      scope == .server ? try await snapshot().route : try await getSessionState().route
    }
  }

  /// The inputs that may be preferred: hardware sources, not monitors and not ours.
  public var availableInputs: [Device] {
    get async throws(SessionError) { try await snapshot().hardware(.input) }
  }

  /// The outputs that may be preferred.
  public var availableOutputs: [Device] {
    get async throws(SessionError) { try await snapshot().hardware(.output) }
  }

  /// The codecs that the output in use offers; none where it is no Bluetooth device, or the server
  /// says nothing of them. One of them is chosen by `AudioMode.outputCodec`.
  public var availableCodecs: [Codec] {
    get async throws(SessionError) { try await outputCard()?.codecs ?? [] }
  }

  /// The codec of the output in use; nil as above.
  public var currentCodec: Codec? {
    get async throws(SessionError) {
      let card = try await outputCard()
      return card?.codecs?.first { $0.name == card?.activeCodec }
    }
  }

  private func outputCard() async throws(SessionError) -> Card? {
    let snapshot = try await snapshot()
    return snapshot.defaultRoot(.output).flatMap { snapshot.card(of: $0) }
  }

  /// The categories that the machine has devices for.
  public var availableCategories: [Category] {
    get async throws(SessionError) {
      let snapshot = try await snapshot()
      return Category.allCases.filter { category in
        category.directions.allSatisfy { snapshot.canServe($0) }
      }
    }
  }

  /// The modes that a session may be given.
  ///
  /// Each has an effect: processing, none of it, or the role of this program's streams. Whether the
  /// server has done what one asks for is the verdict of `mode` in the state.
  public nonisolated var availableModes: [Mode] { Mode.allCases }

  /// The server as it is now: every card, device, stream, module and client.
  public func snapshot() async throws(SessionError) -> ServerSnapshot {
    reopenIfShared()
    let deadline = Deadline(after: configuration.timeout)
    return try await connected(deadline).snapshot
  }

  /// The present setup as a wish, with devices named by what does not change; changes nothing.
  ///
  /// What a server does not show, such as the category, is from the wish in force.
  public func portrait() async throws(SessionError) -> Portrait {
    reopenIfShared()
    let live = try await connected(Deadline(after: configuration.timeout))
    let store = store(live)
    let wish = ((try? wish(store)) ?? nil).flatMap { $0.isActive ? $0.mode : nil }
    let snapshot = await live.snapshot
    if let held { return Portrait(of: snapshot, wish: wish, baseline: held.baseline) }
    let baseline = (try? store.baseline()) ?? Baseline()
    return Portrait(of: snapshot, wish: wish, baseline: baseline)
  }

  func currentWish(_ store: SessionStore) throws(SessionError) -> OwnWish? {
    if let own { return own }
    return try wish(store).map { OwnWish(mode: $0.mode, profile: $0.profile) }
  }

  /// The wish that is stored.
  func wish(_ store: SessionStore) throws(SessionError) -> SessionStore.Wish? {
    if let held { return held.wish }
    return try store.wish()
  }

  /// The state for the wish in force, on the snapshot as it is.
  func state(_ live: LiveServer, _ store: SessionStore) async throws(SessionError) -> SessionState {
    let wish = (try? wish(store)) ?? nil
    let input = try await input(AudioMode(), live, store, isExplicit: false)
    var state = await state(live, store, input, wish)
    if held == nil { state.notes += store.problems }
    return state
  }

  /// The state for a wish; what else it is made from is in the input.
  func state(
    _ live: LiveServer, _ store: SessionStore, _ input: PlanInput, _ wish: SessionStore.Wish?
  ) async -> SessionState {
    var input = input
    // An inactive wish is kept for later and is nothing that the server should be.
    input.wish = overridden(wish.flatMap { $0.isActive ? $0.mode : nil } ?? AudioMode())
    input.snapshot = await live.snapshot
    input.grants = await live.grants()
    input.isExplicit = false
    let (owner, told) = otherHolder(store)
    if owner != nil { input.trustHolder(told) }
    let info = input.snapshot.server
    var state = SessionState(
      input: input, wish: input.wish,
      server: SessionState.Server(
        kind: info.kind, name: info.name, version: info.version,
        address: SessionStore.canonical(live.address)),
      profile: wish?.profile, active: wish?.isActive ?? false)
    state.notes = storeNotes
    state.scope = scope
    state.pins = await live.pinList()
    state.interrupted = upkeep.interruptions.isInterrupted
    if isHolder {
      state.holder = SessionState.Holder(
        pid: getpid(), name: ProcessName.own, since: orders.since)
      state.events = broadcast.history
      state.resets = upkeep.resets
      state.reapplies = upkeep.reapplies
      state.conflicts = upkeep.conflicts.yielded(at: upkeep.now).map {
        "\($0.propertyName) of \($0.object)"
      }.sorted()
    } else if let owner {
      state.holder = SessionState.Holder(pid: owner.pid, name: owner.name)
      if let told { state.adopt(told) }
    }
    return state
  }

  /// Another process that holds the session, and the state that it wrote last.
  private func otherHolder(
    _ store: SessionStore
  ) -> (owner: LockRecord.Owner?, told: SessionState?) {
    guard lock == nil, let owner = SessionLock.livingOwner(store.lockPath), owner.isHolding else {
      return (nil, nil)
    }
    // Of one that has just begun there may be nothing yet but what a former holder wrote.
    let told = try? store.holdersState()
    return (owner, told?.holder?.pid == owner.pid ? told : nil)
  }
}

extension PlanInput {
  /// Takes the pins of another process that holds the session for held.
  fileprivate mutating func trustHolder(_ told: SessionState?) {
    holdsPins = true
    for pin in told?.pins ?? [] {
      guard let latency = pin.latency else { continue }
      for direction in Direction.allCases {
        grants[.latency(direction, device: pin.device)] = Duration(saturatingSeconds: latency)
      }
    }
  }
}
