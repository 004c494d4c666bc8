import Glibc
import POSIX
package import SessionCore

extension AudioSession {
  /// The other process that holds the server's session; nil if there is none.
  ///
  /// Without a server, or with one that hangs, it is the one that waits for the server of this address.
  package func holder() async throws(SessionError) -> SessionState.Holder? {
    try await lockedHolder()?.holder
  }

  /// The other process that holds the server's session, and the file of its lock.
  private func lockedHolder() async throws(SessionError)
    -> (holder: SessionState.Holder, lock: String)?
  {
    // Who holds the session of this address is known without the server.
    let isKnown = SessionLock.livingOwner(store(nil).lockPath)?.isHolding == true
    let patience = isKnown ? min(.seconds(2), configuration.timeout) : configuration.timeout
    var live: LiveServer?
    do throws(SessionError) {
      live = try await connected(Deadline(after: patience))
    } catch {
      guard isKnown, [.serverUnreachable, .serverLost, .timedOut].contains(error.code)
      else { throw error }
    }
    // A holder that uses another address counts if it is a process of this machine.
    let seen = await live?.snapshot.holder(beside: nil)
    let marked = seen.flatMap { mark in store(of: mark).map { (mark.owner, $0.lockPath) } }
    let path = store(live).lockPath
    let living = SessionLock.livingOwner(path).map { ($0, path) }
    guard let (owner, lock) = living ?? marked, owner.isHolding, owner.pid != getpid()
    else { return nil }
    return (SessionState.Holder(pid: owner.pid, name: owner.name), lock)
  }

  /// Whether a mode is in effect, as far as the store of this address says; true if it cannot be read.
  package var hasStoredModeInEffect: Bool {
    do { return try store(nil).mode()?.isActive ?? false } catch { return true }
  }

  /// Ends the process that holds the session (SIGTERM), and waits for its end. One that has released
  /// the lock has ended its session: its hooks may take as long as this may wait.
  ///
  /// - Returns: the process; nil if there was none.
  /// - Throws: `isBusy` if it is a program with its own session, or no process of this machine,
  ///   `accessDenied` if it belongs to another user, `timedOut` if it does not end.
  package func endHolder() async throws(SessionError) -> SessionState.Holder? {
    guard let (holder, lock) = try await lockedHolder() else {
      guard let mark = await lastingMark() else { return nil }
      throw mark.owner.error(
        .isBusy,
        "holds the audio session of this server, and its lock is not in \(store(nil).folder): end it "
          + "with its own XDG_STATE_HOME, or where it runs")
    }
    guard holder.name == ProcessName.own else {
      throw holder.error(
        .isBusy,
        "holds the audio session of this server and is a program of its own; end it, or have it call "
          + "setActive(false)")
    }
    let deadline = Deadline(after: configuration.timeout)
    let (ends, end) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    // Watches before it looks and signals, so that the number stays with the process.
    let watch = Watch.process(holder.pid, on: loop) {
      end.yield(true)
      end.finish()
    }
    // The lock may be that of another machine or container, where the number is another process's.
    guard watch != nil, ProcessName.of(holder.pid) == holder.name else {
      guard SessionLock.isHeld(lock, by: holder.pid) else { return holder }
      throw holder.error(
        .isBusy,
        "holds the audio session of this server, and there is no such process here; it may run on "
          + "another machine or in a container that shares \(store(nil).folder): end it there")
    }
    guard kill(holder.pid, SIGTERM) == 0 || errno == ESRCH else {
      throw holder.error(.accessDenied, "cannot be ended: \(SystemError.last)")
    }
    let alarm = deadline.onPassing(on: loop) { end.finish() }
    let looks = Deadline.repeating(every: .milliseconds(50), on: loop) { end.yield(false) }
    defer {
      alarm.cancel()
      looks.cancel()
      withExtendedLifetime(watch) {}
    }
    var released: ContinuousClock.Instant?
    for await hasEnded in ends {
      if hasEnded { return holder }
      guard !SessionLock.isHeld(lock, by: holder.pid) else { continue }
      // Without hooks it ends soon after it has released the lock.
      let since = released ?? .now
      if .now - since >= .milliseconds(500) { return holder }
      released = since
    }
    guard Task.isCancelled || SessionLock.isHeld(lock, by: holder.pid) else { return holder }
    guard !Task.isCancelled else {
      throw SessionError(
        .cancelled, stage: .session,
        "cancelled: \(holder.title) was asked to end, and may still be ending",
        value: String(holder.pid))
    }
    throw holder.error(
      .timedOut,
      "has not ended \(configuration.timeout) after SIGTERM; it may be frozen: "
        + "kill -9 \(holder.pid)")
  }
}
