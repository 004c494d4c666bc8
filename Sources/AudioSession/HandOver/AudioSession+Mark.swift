import Glibc
import Pulse
import SessionCore

/// Each address has a lock; the mark on the server is shared by all addresses.
extension AudioSession {
  /// How long the server may take to show or to remove a mark.
  private static let patience = Duration.milliseconds(500)
  /// How long it may list a holder that has ended.
  private static let departure = Duration.seconds(2)

  func mark(_ store: SessionStore, isClaim: Bool) -> HolderMark {
    HolderMark(
      isClaim: isClaim, process: getpid(), files: store.files.server, name: ProcessName.own)
  }

  /// Another holder of this server, which has the lock of another address.
  ///
  /// A session that is about to hold sets its mark first, so that of two that start at once one
  /// sees the other.
  func rival(_ store: SessionStore, _ budget: Budget) async -> HolderMark? {
    guard let live, scope == .server else { return nil }
    let own = configuration.isHolding ? mark(store, isClaim: true) : nil
    if let own { await live.show(own, Deadline(after: min(Self.patience, budget.run.remaining))) }
    var rival = await live.snapshot.holder(beside: own)
    // A holder that has just ended may still be listed, also one of this process: its lock is taken now.
    if let seen = rival, seen.files == store.files.server || self.store(of: seen) == nil {
      rival = await lastingMark(
        beside: own, Deadline(after: min(Self.departure, budget.run.remaining)))
    }
    guard own != nil else { return rival }
    if rival == nil {
      await live.show(mark(store, isClaim: false), budget.run)
    } else {
      await hideMark()
    }
    return rival
  }

  /// The mark of another holder that stays on the server; one that has just ended may still be
  /// listed.
  func lastingMark(
    beside own: HolderMark? = nil, _ deadline: Deadline = Deadline(after: departure)
  ) async -> HolderMark? {
    guard let live else { return nil }
    _ = try? await live.wait(deadline: deadline) { $0.holder(beside: own) == nil }
    return await live.snapshot.holder(beside: own)
  }

  /// Sets this holder's mark on a new connection.
  func showMark(on live: LiveServer) async {
    guard isHolder, scope == .server else { return }
    await live.show(mark(store(live), isClaim: false), Deadline(after: Self.patience))
  }

  /// Removes the mark, also for a cancelled call, whose own requests are not sent: a mark that stays
  /// keeps all others out.
  func hideMark() async {
    guard let live else { return }
    await loop.task { await live.show(nil, Deadline(after: Self.patience)) }.value
  }

  /// Removes the mark, then releases the lock.
  func giveLockBack() async {
    if isHolder, scope == .server { await hideMark() }
    life.release()
  }

  /// The store for orders to another holder; nil if its files are not accessible.
  func store(of rival: HolderMark) -> SessionStore? {
    let store = SessionStore(folder: configuration.storeFolder, files: rival.files)
    return SessionLock.isHeld(store.lockPath, by: rival.process) ? store : nil
  }

  /// The store of the server's holder, through this address or another one.
  func storeInForce(_ store: SessionStore) async -> SessionStore {
    guard life.lock == nil, SessionLock.livingOwner(store.lockPath) == nil,
      let mark = await live?.snapshot.holder(beside: self.mark(store, isClaim: false))
    else { return store }
    return self.store(of: mark) ?? store
  }

  /// The process that holds the server, through this address or another one.
  func holder(_ store: SessionStore) async -> LockRecord.Owner? {
    if let owner = SessionLock.livingOwner(store.lockPath) { return owner }
    // Of a session that has just been taken over, the snapshot still has the own mark.
    return await live?.snapshot.holder(beside: self.mark(store, isClaim: false))?.owner
  }
}

extension LiveServer {
  /// Shows or removes a holder's mark.
  func show(_ mark: HolderMark?, _ deadline: Deadline) async {
    // A server that does not answer delays other clients' requests as well.
    try? await client.updateProperties(
      [HolderMark.key: mark?.text ?? ""], timeout: deadline.remaining)
    guard let mark, lost == nil else { return }
    _ = try? await wait(deadline: deadline) { snapshot in
      snapshot.clients(having: HolderMark.key).contains {
        $0.properties[HolderMark.key] == mark.text
      }
    }
  }
}
