internal import Glibc
internal import POSIX

/// Accepts requests for faults from processes inside a sandbox, on a socket in its folder.
///
/// The process that started the sandbox causes the faults, so that the server has only this owner
/// and ends with it. Each connection is one fault. A lasting fault ends with its connection, also
/// if the requesting process is killed.
final class FaultServer: Sendable {
  typealias Perform = @Sendable (Fault) async throws(SandboxError) -> Disturbance?

  private let listener: Descriptor
  /// A pipe whose end ends every wait; it never carries data.
  private let closing: Descriptor
  private let leash: Guarded<Leash?>

  /// Listens and serves until `close`.
  init(path: String, _ perform: @escaping Perform) throws(SandboxError) {
    listener = try listeningSocket(path)
    let pipe = try Pipe.make()
    closing = pipe.reading
    leash = Guarded(Leash(pipe.writing))
    do throws(SystemError) { try detachThread { [self] in serve(perform) } } catch {
      throw .system(.spawn, "cannot start a thread", error)
    }
  }

  func close() { leash.withLock { $0 = nil } }

  private func serve(_ perform: @escaping Perform) {
    while true {
      let ready = poll([.input(listener.raw), .end(closing.raw)], for: -1)
      if ready[1] { return }
      guard ready[0] else { continue }
      let raw = accept(listener.raw, nil, nil)
      guard raw >= 0 else {
        // Without a free descriptor the caller waits, and stays ready.
        _ = poll([.end(closing.raw)], for: 50)
        continue
      }
      _ = fcntl(raw, F_SETFD, FD_CLOEXEC)
      let caller = PacketConnection(Descriptor(owning: raw))
      Task { [self] in await serve(caller, perform) }
    }
  }

  private func serve(_ caller: PacketConnection, _ perform: Perform) async {
    guard let words = await words(from: caller) else { return }
    guard let fault = Fault(words: words) else {
      return caller.send(SandboxError(.refused, "this sandbox knows no fault '\(words)'"))
    }
    do throws(SandboxError) {
      let lasting = try await perform(fault)
      caller.send(["done"])
      guard let lasting else { return }
      // Waits for the end of the caller, or for its word to stop.
      _ = await self.words(from: caller)
      await lasting.stop()
      caller.send(["done"])
    } catch {
      caller.send(error)
    }
  }

  /// The next packet; nil at the end of the connection or of the sandbox.
  private func words(from caller: PacketConnection) async -> [String]? {
    try? await onOwnThread { [self] () throws(SandboxError) in
      while true {
        let ready = poll([.input(caller.raw), .end(closing.raw)], for: -1)
        if ready[1] { return nil }
        if ready[0] { return caller.receive() }
      }
    }
  }
}

extension PulseSandbox {
  /// Starts to accept requests for faults.
  func serveFaults() throws(SandboxError) {
    let server = try FaultServer(path: folder.faultSocket) {
      [weak self] fault throws(SandboxError) in
      guard let self else { throw Self.closedError }
      return try await perform(fault)
    }
    otherSide.add(server)
  }
}
