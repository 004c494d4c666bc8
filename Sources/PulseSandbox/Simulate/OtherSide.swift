internal import Glibc
internal import POSIX

/// The outside world of a sandbox: lasting disturbances, unplugged devices, and the server of
/// faults that commands request. All of it ends with the sandbox.
final class OtherSide: Sendable {
  /// A removed card, or an unloaded module; valid as long as the process that had it runs.
  struct Unplugged: Sendable {
    enum Origin: Sendable {
      /// One of PipeWire's simulated cards.
      case card(String)
      case module(name: String, argument: String)
    }

    let server: pid_t
    /// The card and the devices that it made.
    let names: Set<String>
    let origin: Origin
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
      state.unplugged.append(unplugged)
    }
  }

  /// The devices that were unplugged. Those of processes that have ended exist again.
  func unplugged(from processes: [pid_t]) -> [Unplugged] {
    state.withLock { state in
      state.unplugged.removeAll { !processes.contains($0.server) }
      return state.unplugged
    }
  }

  func remove(_ unplugged: Unplugged) {
    state.withLock { $0.unplugged.removeAll { $0.names == unplugged.names } }
  }

  func add(_ faults: FaultServer) { state.withLock { $0.faults = faults } }

  /// Ends all of it, and waits for the shells of the disturbances. Blocks for a moment.
  func end() {
    let former = state.withLock { state in
      defer { state = State(isEnded: true) }
      return state
    }
    former.faults?.close()
    for disturbance in former.disturbances { disturbance.end() }
  }
}
