/// The life of a session: its right to write to the server, and the mode that it declared. A pure
/// state machine.
///
/// What belongs to a state exists only in it: only a holder remembers what it set, only a session
/// without the lock waits for it, and only a mode that is not in effect leaves something to restore.
/// The caller does the work: it asks `duty` at each look, and reports what became of it.
///
/// `Lock` is what entitles a session to write; the lock is released when it leaves this value.
/// `Mode` is a declared mode.
package struct SessionLife<Lock: Sendable, Mode: Sendable>: Sendable {
  private enum Phase: Sendable {
    case open(Tenure)
    /// A change in progress is undone, and no further one begins.
    case closing(Tenure)
    case closed
  }

  private enum Tenure: Sendable {
    case idle
    /// A session that does not hold has the lock for one change.
    case working(Lock)
    /// - Parameter held: nil during a change, and until the first one.
    case holding(Lock, since: String, held: Held?)
    /// - Parameter isTrying: whether an attempt to take the lock is in progress.
    case waiting(LockWait, isTrying: Bool)
  }

  private enum Declared: Sendable {
    case inEffect(Mode)
    /// None, or one that is kept for later.
    case ended(Mode?, leaving: Remainder)
  }

  /// What a mode that ended has left on the server.
  private enum Remainder: Sendable {
    case nothing
    /// Settings of devices that are away.
    case away
    /// Every setting: the server did not answer.
    case everything
  }

  /// What a holder has to maintain.
  package enum Duty: Sendable {
    /// The mode is to be in effect.
    case maintain(Mode)
    /// Everything is to be restored; the mode is kept for later.
    case restore(keeping: Mode?)
    /// Settings of devices that are away are to be restored as they return.
    case restoreReturned
  }

  private var phase = Phase.open(.idle)
  private var declared = Declared.ended(nil, leaving: .nothing)

  package init() {}

  private var tenure: Tenure {
    get {
      switch phase {
      case .open(let tenure), .closing(let tenure): tenure
      case .closed: .idle
      }
    }
    set {
      switch phase {
      case .open: phase = .open(newValue)
      case .closing: phase = .closing(newValue)
      case .closed: break
      }
    }
  }
}

// MARK: The lock

extension SessionLife {
  package var lock: Lock? {
    switch tenure {
    case .working(let lock), .holding(let lock, _, _): lock
    case .idle, .waiting: nil
    }
  }

  /// Whether this session maintains the server's setup, as the only writer.
  package var isHolder: Bool { since != nil }

  /// When it began to hold; nil if it does not.
  package var since: String? {
    if case .holding(_, let since, _) = tenure { since } else { nil }
  }

  /// What the holder remembers, which is what the store has, but for `Held.stored`.
  package var held: Held? {
    get { if case .holding(_, _, let held) = tenure { held } else { nil } }
    set {
      guard case .holding(let lock, let since, _) = tenure else { return }
      tenure = .holding(lock, since: since, held: newValue)
    }
  }

  package var isWaiting: Bool { if case .waiting = tenure { true } else { false } }

  /// - Parameter since: when it began to hold; nil if it only makes one change.
  package mutating func take(_ lock: Lock, since: String?) {
    guard let since else { return tenure = .working(lock) }
    tenure = .holding(lock, since: since, held: nil)
  }

  /// Releases the lock, or gives up waiting for it.
  package mutating func release() { tenure = .idle }

  /// Releases the lock and waits for it: the session was taken over, or another one of its process
  /// holds.
  package mutating func wait(as process: Int32) {
    tenure = .waiting(LockWait(process: process), isTrying: false)
  }

  /// What a waiting session does next; nil if it does not wait, or tries already. If the action is to
  /// take the lock, `take` or `noteRefused` comes next.
  package mutating func nextWaiting(
    _ view: LockView, at now: Duration, isRunning: (Int32) -> Bool
  ) -> LockWait.Action? {
    guard case .open(.waiting(var rule, isTrying: false)) = phase else { return nil }
    let action = rule.next(view, at: now, isRunning: isRunning)
    tenure = .waiting(rule, isTrying: action.takes)
    return action
  }

  /// Whether it may still take the lock, once no other process can.
  package mutating func mayTake(
    _ view: LockView, at now: Duration, isRunning: (Int32) -> Bool
  ) -> Bool {
    guard case .waiting(var rule, let isTrying) = tenure else { return false }
    let action = rule.next(view, at: now, isRunning: isRunning)
    tenure = .waiting(rule, isTrying: isTrying)
    return action.takes
  }

  /// The lock could not be taken; nil if the session no longer waits for it.
  package mutating func noteRefused(at now: Duration) -> LockWait.Action? {
    guard case .waiting(var rule, _) = tenure else { return nil }
    let action = rule.noteRefused(at: now)
    tenure = .waiting(rule, isTrying: false)
    return action
  }

  /// The awaited process ended, or cannot be watched.
  package mutating func noteEnd(of process: Int32) {
    guard case .waiting(var rule, let isTrying) = tenure else { return }
    rule.noteEnd(of: process)
    tenure = .waiting(rule, isTrying: isTrying)
  }
}

// MARK: The mode

extension SessionLife {
  /// The mode of this process, in effect or kept for later.
  package var mode: Mode? {
    switch declared {
    case .inEffect(let mode): mode
    case .ended(let mode, _): mode
    }
  }

  package var modeInEffect: Mode? {
    if case .inEffect(let mode) = declared { mode } else { nil }
  }

  package var isActive: Bool { modeInEffect != nil }

  /// What a look has to do; nil for nothing.
  package var duty: Duty? {
    guard case .open(.holding) = phase else { return nil }
    switch declared {
    case .inEffect(let mode): return .maintain(mode)
    case .ended(let mode, .everything): return .restore(keeping: mode)
    case .ended(_, .away): return .restoreReturned
    case .ended(_, .nothing): return nil
    }
  }

  /// Whether the mode is applied again when something changes.
  package var isKept: Bool { isHolder && isActive }

  /// Another session of the process holds for this one.
  package mutating func declare(_ mode: Mode?) {
    declared = mode.map(Declared.inEffect) ?? .ended(nil, leaving: .nothing)
  }

  /// A change begins.
  ///
  /// - Returns: what the session remembered: the store alone counts until the change ends.
  package mutating func beginChange() -> Held? {
    defer { held = nil }
    return held
  }

  /// A mode took effect, or the former one ended.
  package mutating func endChange(_ mode: Mode?, isInEffect: Bool, _ held: Held) {
    self.held = held
    if isInEffect, let mode {
      declared = .inEffect(mode)
    } else {
      declared = .ended(mode, leaving: remainder(held.baseline))
    }
  }

  /// A change failed: the former mode stays.
  ///
  /// - Parameters:
  ///   - former: what the session remembered before.
  ///   - baseline: the previous values now.
  ///   - stored: the baseline in the store, where that is another one.
  ///   - left: the settings that the change set and that could not be restored.
  ///   - wasInEffect: whether a mode is in effect, also one that an earlier process applied.
  package mutating func failChange(
    _ former: Held?, _ baseline: Baseline, stored: Baseline? = nil, besides left: Set<Setting>,
    wasInEffect: Bool
  ) {
    guard isHolder else { return }
    held = former
    held?.baseline = baseline
    held?.stored = stored
    held?.charges.forget(left)
    if !wasInEffect { noteUnrestored(baseline) }
  }

  /// Notes what is still to be restored while no mode is in effect.
  package mutating func noteUnrestored(_ baseline: Baseline) {
    guard case .ended(let mode, let remainder) = declared else { return }
    held?.baseline = baseline
    if case .everything = remainder { return }
    declared = .ended(mode, leaving: self.remainder(baseline))
  }

  /// What is left of a mode that has ended; also if the store still has another baseline.
  private func remainder(_ baseline: Baseline) -> Remainder {
    baseline.entries.isEmpty && held?.stored == nil ? .nothing : .away
  }

  /// A session without a mode of its own holds again after another one: what that one left in effect
  /// stays, as after any session that ends.
  package mutating func leaveInEffect() {
    guard case .ended(let mode, .away) = declared else { return }
    declared = .ended(mode, leaving: .nothing)
  }

  /// The mode ends without a server: a holder restores everything as soon as the server answers.
  package mutating func standDown() {
    declared = .ended(mode, leaving: isHolder ? .everything : .nothing)
  }
}

// MARK: The end

extension SessionLife {
  package var isClosed: Bool { if case .open = phase { false } else { true } }

  package var isClosing: Bool { if case .closing = phase { true } else { false } }

  package mutating func beginClosing() {
    if case .open(let tenure) = phase { phase = .closing(tenure) }
  }

  /// Releases the lock; the mode stays.
  package mutating func close() { phase = .closed }

  /// A session that is used after it was closed is open again.
  package mutating func reopen() { if case .closed = phase { phase = .open(.idle) } }
}
