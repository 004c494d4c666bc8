import Glibc
import Pulse
import SessionCore

/// The lock is one for each address; the mark on the server is one for all of them.
extension AudioSession {
  /// How long the server may take to show a mark, or that one is gone.
  private static let patience = Duration.milliseconds(500)

  private func mark(_ store: SessionStore, isClaim: Bool) -> HolderMark {
    HolderMark(
      isClaim: isClaim, process: getpid(), files: store.files.server, name: ProcessName.own)
  }

  /// Another holder of this server, which has a lock of another address.
  ///
  /// A session that is about to hold marks itself first, so that of two that begin at once one sees the
  /// other.
  func rival(_ store: SessionStore, _ budget: Budget) async -> HolderMark? {
    guard let live, scope == .server else { return nil }
    let own = configuration.isHolding ? mark(store, isClaim: true) : nil
    if let own { await live.show(own, Deadline(after: min(Self.patience, budget.run.remaining))) }
    var rival = await live.snapshot.holder(beside: own)
    if let seen = rival, self.store(of: seen) == nil {
      // One that has just ended may still be listed.
      let deadline = Deadline(after: min(Self.patience, budget.run.remaining))
      _ = try? await live.wait(deadline: deadline) { $0.holder(beside: own) == nil }
      rival = await live.snapshot.holder(beside: own)
    }
    if own != nil { await live.show(rival == nil ? mark(store, isClaim: false) : nil, budget.run) }
    return rival
  }

  /// Shows on a new connection that this session holds.
  func showMark(on live: LiveServer) async {
    guard isHolder, scope == .server else { return }
    await live.show(mark(store(live), isClaim: false), Deadline(after: Self.patience))
  }

  /// Gives the lock back, and the mark before it.
  func giveLockBack() async {
    if isHolder, scope == .server { await live?.show(nil, Deadline(after: Self.patience)) }
    dropLock()
  }

  /// Where the orders for a rival go; nil where its files are not ours to write.
  func store(of rival: HolderMark) -> SessionStore? {
    let store = SessionStore(folder: configuration.storeFolder, files: rival.files)
    return SystemCalls().lookAtLock(store.lockPath).isHeld(by: rival.process) ? store : nil
  }

  /// Where a holder of this server writes, by this address or another.
  func storeInForce(_ store: SessionStore) async -> SessionStore {
    guard lock == nil, SessionLock.livingOwner(store.lockPath) == nil,
      let mark = await live?.snapshot.holder(beside: nil)
    else { return store }
    return self.store(of: mark) ?? store
  }

  /// The process that holds the server, through this address or another one.
  func holder(_ store: SessionStore) async -> LockRecord.Owner? {
    if let owner = SessionLock.livingOwner(store.lockPath) { return owner }
    return await live?.snapshot.holder(beside: nil)?.owner
  }
}

extension LiveServer {
  /// Shows the mark of a holder to others, or takes it away.
  func show(_ mark: HolderMark?, _ deadline: Deadline) async {
    // A server that does not answer has other clients' requests to wait for as well.
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
