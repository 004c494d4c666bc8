import Glibc
import POSIX
import Pulse
package import SessionCore

extension AudioSession {
  /// The other process that holds the server's session; nil if there is none.
  ///
  /// Without a server it is the one that waits for the server of this address.
  package func holder() async throws(SessionError) -> SessionState.Holder? {
    var live: LiveServer?
    do throws(SessionError) {
      live = try await connected(Deadline(after: configuration.timeout))
    } catch {
      guard error.code == .serverUnreachable,
        SessionLock.livingOwner(store(nil).lockPath) != nil
      else { throw error }
    }
    // A holder that uses another address counts if it is a process of this machine.
    let seen = await live?.snapshot.holder(beside: nil)
    let mark = seen.flatMap { store(of: $0) == nil ? nil : $0 }
    let living = SessionLock.livingOwner(store(live).lockPath)
    guard let owner = living ?? mark?.owner, owner.isHolding,
      owner.pid != getpid()
    else { return nil }
    return SessionState.Holder(pid: owner.pid, name: owner.name)
  }

  /// Ends the process that holds the session (SIGTERM), and waits for its end.
  ///
  /// - Returns: the process; nil if there was none.
  /// - Throws: `isBusy` if it is a program with its own session, `accessDenied` if it belongs to
  ///   another user, `timedOut` if it does not end.
  package func endHolder() async throws(SessionError) -> SessionState.Holder? {
    guard let holder = try await holder() else { return nil }
    guard holder.name == ProcessName.own else {
      throw SessionError(
        .isBusy, stage: .session,
        "\(holder.name) (process \(holder.pid)) holds the audio session of this server and is a "
          + "program of its own; end it, or have it call setActive(false)",
        value: String(holder.pid))
    }
    let deadline = Deadline(after: configuration.timeout)
    let (ends, end) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    // Watches before it signals, so the number cannot belong to another process.
    guard
      let watch = Watch.process(
        holder.pid, on: loop,
        {
          end.yield(true)
          end.finish()
        })
    else { return holder }
    guard kill(holder.pid, SIGTERM) == 0 || errno == ESRCH else {
      throw SessionError(
        .accessDenied, stage: .session,
        "\(holder.name) (process \(holder.pid)) cannot be ended: \(SystemError.last)",
        value: String(holder.pid))
    }
    let alarm = deadline.onPassing(on: loop) { end.finish() }
    defer {
      alarm.cancel()
      withExtendedLifetime(watch) {}
    }
    for await hasEnded in ends where hasEnded { return holder }
    throw SessionError(
      Task.isCancelled ? .cancelled : .timedOut, stage: .session,
      "\(holder.name) (process \(holder.pid)) has not ended \(configuration.timeout) after SIGTERM; "
        + "it may be frozen: kill -9 \(holder.pid)",
      value: String(holder.pid))
  }
}
