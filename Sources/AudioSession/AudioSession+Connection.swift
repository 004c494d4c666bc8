import Glibc
import Pulse
import SessionCore

extension AudioSession {
  /// Returns the connected server; connects if there is no connection or the last one was lost.
  ///
  /// Concurrent calls share the same connection.
  func connected(_ deadline: Deadline) async throws(SessionError) -> LiveServer {
    while true {
      guard !life.isClosed else { throw Self.closed }
      // An event would begin the check, but the server may send none.
      if upkeep.rules.defaults.nextCheck == nil { beginDefaultsCheck(broadcast.shown.snapshot) }
      if let live {
        if await live.lost == nil {
          // Rereads, because an event of another program's recent change may still be on its way.
          if try await isReread(live, deadline) { return live }
        }
        await recover(from: live)
        continue
      }
      let (connecting, isOwn) = connectionAttempt(deadline)
      let result = await withTaskCancellationHandler {
        await connecting.value
      } onCancel: {
        connecting.cancel()
      }
      // Another caller's cancellation or time limit does not affect this one.
      if case .failure(let error) = result, !Task.isCancelled,
        error.code == .cancelled || !isOwn && error.code == .timedOut && !deadline.hasPassed
      {
        continue
      }
      return try result.get()
    }
  }

  /// Rereads the server; false if the connection is lost and there is time for a new one.
  private func isReread(
    _ live: LiveServer, _ deadline: Deadline
  ) async throws(SessionError) -> Bool {
    do throws(SessionError) {
      try await live.reread(deadline: deadline)
      return true
    } catch {
      guard await live.lost != nil, !deadline.hasPassed else { throw error }
      return false
    }
  }

  /// The attempt to connect, and whether it is the caller's own; begins one if there is none.
  private func connectionAttempt(_ deadline: Deadline) -> (Connection.Attempt, isOwn: Bool) {
    if case .connecting(let task) = connection { return (task, false) }
    let task = connect(deadline)
    connection = .connecting(task)
    return (task, true)
  }

  private func connect(_ deadline: Deadline) -> Connection.Attempt {
    Task {
      do throws(SessionError) {
        let server = try await LiveServer.connect(
          to: (isHolder ? upkeep.lastServer?.address : nil) ?? address, name: configuration.name,
          loop: loop, deadline: deadline,
          logger: configuration.logger)
        if !life.isClosed { await server.setScope(scope, deadline: deadline) }
        if !life.isClosed {
          connection = .live(server)
          upkeep.lastServer = server.names
          await showMark(on: server)
        }
        guard !life.isClosed else {
          connection = .none
          await server.close()
          return .failure(Self.closed)
        }
        learned = Learned()
        // Records the devices now, so that later changes are reported even without an earlier look.
        if broadcast.shown.snapshot == nil {
          broadcast.shown.begin(with: await server.snapshot, scope)
        }
        let tracer = configuration.tracer
        await server.setChangeHandler { [weak self] event in
          if let tracer, let event { tracer(.told(event.description)) }
          self?.assumeIsolated { $0.noteChange() }
        }
        // What has changed since the first reading began has called no handler.
        if await server.isOutdated {
          noteChange()
          _ = try? await server.refresh(deadline: deadline)
        }
        guard !life.isClosed else { return .failure(Self.closed) }
        watchClock()
        upkeep.rules.noteReading(await server.snapshot, at: upkeep.now)
        beginDefaultsCheck(await server.snapshot)
        return .success(server)
      } catch {
        connection = .none
        return .failure(error)
      }
    }
  }

  private static let closed = SessionError(
    .activationFailed, stage: .session, "the session is closed; make a new one")

  /// The store for a server; without a connection, for the address.
  func store(_ live: LiveServer?) -> SessionStore {
    SessionStore(
      folder: configuration.storeFolder,
      server: live?.names ?? upkeep.lastServer
        ?? SessionStore.Server(address ?? SessionStore.environmentAddress()),
      calls: scope == .application ? ownFiles : SystemCalls())
  }

  /// Releases the lock and the pins after a command, or when nothing is active any more.
  func release(_ live: LiveServer?, keepsHolding: Bool) async {
    guard !(configuration.isHolding && (keepsHolding || configuration.holdsWithoutMode)) else {
      return
    }
    await live?.closePins()
    await giveLockBack()
  }

  /// Everything from which a plan for a mode on the current server is made.
  ///
  /// - Parameters:
  ///   - generation: that of the stored mode, for a report of it: then what the last run learned
  ///     counts, though it was another process's. A plan starts without that.
  ///   - ignoringOverride: whether an override of the port ends before.
  func input(
    _ mode: AudioMode, _ live: LiveServer, _ store: SessionStore, isExplicit: Bool,
    reporting generation: Int? = nil, ignoringOverride: Bool = false
  ) async throws(SessionError) -> PlanInput {
    var learned = learned
    var input = PlanInput(
      mode: ignoringOverride ? mode : overridden(mode), snapshot: await live.snapshot)
    // What a state shows of a person's change counts, even if the device is unplugged before the next
    // look.
    life.held?.charges.follow(input.snapshot, at: upkeep.now)
    if let held = life.held {
      (input.baseline, input.memory) = (held.baseline, held.memory)
    } else {
      // Without the lock nothing is changed, and unreadable files are reported in `problems`. A
      // revert must work as far as the previous values are known; but a file that cannot be read
      // now is not damaged, and going on without it would forget them.
      if life.lock == nil {
        input.baseline = (try? store.baseline()) ?? Baseline()
      } else if mode == AudioMode() {
        let bytes = try store.files.read(.baseline)
        input.baseline = bytes.flatMap { try? store.parseBaseline($0) } ?? Baseline()
      } else {
        input.baseline = try store.baseline()
      }
      let known = store.known()
      input.memory = known?.memory ?? HintMemory()
      if let newer = known?.learned, let generation, known?.generation == generation,
        newer.serverCookie == input.snapshot.server.cookie
      {
        learned = newer
      }
    }
    input.isExplicit = isExplicit
    input.holdsPins = configuration.isHolding
    let holder = life.lock == nil ? await holder(store) : nil
    input.isHeld = configuration.isHolding || holder?.isHolding == true
    input.process = getpid()
    input.grants = await live.grants()
    if let capabilities = learned.capabilities { input.capabilities = capabilities }
    input.refusals = learned.refusals
    upkeep.rules.complete(&input, at: upkeep.now)
    return input
  }
}
