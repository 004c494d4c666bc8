internal import Glibc
internal import POSIX
internal import Pulse

/// The outside world of a sandbox: lasting disturbances, unplugged devices, and the server of
/// faults that commands request. All of it ends with the sandbox.
final class OtherSide: Sendable {
  /// An unloaded module; valid as long as the server that had it runs.
  struct Unplugged: Sendable {
    let server: pid_t
    /// The card and the devices that it made.
    let names: Set<String>
    /// The arguments of `load-module` that load it again.
    let line: String
  }

  private struct State {
    var disturbances: [Disturbance] = []
    var unplugged: [Unplugged] = []
    var faults: FaultServer?
    var isEnded = false
  }

  private let state = Guarded(State())

  /// Whether the sandbox is closed, or being closed.
  var hasEnded: Bool { state.withLock { $0.isEnded } }

  /// Takes over a disturbance; false if the sandbox has ended in the meantime.
  func add(_ disturbance: Disturbance) -> Bool {
    state.withLock { state in
      state.disturbances.removeAll { $0.hasStopped }
      if !state.isEnded { state.disturbances.append(disturbance) }
      return !state.isEnded
    }
  }

  func add(_ unplugged: Unplugged) {
    state.withLock { state in
      // Devices that were unplugged from an earlier run of the server exist again in this one.
      state.unplugged.removeAll { $0.server != unplugged.server }
      state.unplugged.append(unplugged)
    }
  }

  /// The devices that were unplugged from this run of the server.
  func unplugged(from server: pid_t) -> [Unplugged] {
    state.withLock { $0.unplugged.filter { $0.server == server } }
  }

  func remove(_ unplugged: Unplugged) {
    state.withLock { $0.unplugged.removeAll { $0.names == unplugged.names } }
  }

  /// Starts the server of faults if it does not run yet.
  func serve(_ make: () throws(SandboxError) -> FaultServer) throws(SandboxError) {
    try state.withLock { state throws(SandboxError) in
      if state.faults == nil, !state.isEnded { state.faults = try make() }
    }
  }

  /// Ends all of it and waits for the processes. Blocks for a moment.
  func end() {
    let former = state.withLock { state in
      defer { state = State(isEnded: true) }
      return state
    }
    former.faults?.close()
    for disturbance in former.disturbances { disturbance.end() }
  }
}
