internal import Glibc

/// What a sandbox has of the other side: the disturbances that go on, what is unplugged, and the
/// place where commands inside ask for faults. All of it ends with the sandbox.
final class OtherSide: Sendable {
  /// A module that was unloaded, for as long as the server that had it runs.
  struct Unplugged: Sendable {
    let server: pid_t
    /// The card and the devices that came from it.
    let names: Set<String>
    /// How to load it again, as one would write it behind `load-module`.
    let line: String
  }

  private struct State {
    var disturbances: [Disturbance] = []
    var unplugged: [Unplugged] = []
    var faults: FaultServer?
    var isEnded = false
  }

  private let state = Locked(State())

  /// Takes a disturbance into care; false when the sandbox has ended meanwhile.
  func add(_ disturbance: Disturbance) -> Bool {
    state.withLock { state in
      state.disturbances.removeAll { $0.hasStopped }
      if !state.isEnded { state.disturbances.append(disturbance) }
      return !state.isEnded
    }
  }

  func add(_ unplugged: Unplugged) {
    state.withLock { state in
      // What another run of the server missed, this one has.
      state.unplugged.removeAll { $0.server != unplugged.server }
      state.unplugged.append(unplugged)
    }
  }

  /// What was unplugged from this run of the server.
  func unplugged(from server: pid_t) -> [Unplugged] {
    state.withLock { $0.unplugged.filter { $0.server == server } }
  }

  func remove(_ unplugged: Unplugged) {
    state.withLock { $0.unplugged.removeAll { $0.line == unplugged.line } }
  }

  /// Opens the place where others ask for faults, if it is not open yet.
  func serve(_ make: () throws(SandboxError) -> FaultServer) throws(SandboxError) {
    try state.withLock { state throws(SandboxError) in
      if state.faults == nil, !state.isEnded { state.faults = try make() }
    }
  }

  /// Ends all of it, and waits for the processes. Blocks for a moment.
  func end() {
    let former = state.withLock { state in
      defer { state = State(isEnded: true) }
      return state
    }
    former.faults?.close()
    for disturbance in former.disturbances { disturbance.end() }
  }
}
