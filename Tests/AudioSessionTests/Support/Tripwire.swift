import AudioSession
import Glibc
import Logging
import POSIX
import Pulse
import PulseSandbox
import Synchronization

/// Acts just before a session's nth request: on its thread, so that nothing of the session goes on
/// meanwhile and the point is the same in every run.
final class Tripwire: Sendable {
  private let left = Atomic(0)
  private let tripped = Atomic(false)
  private let counts: (@Sendable (String) -> Bool)?
  private let action: @Sendable () -> Void

  /// - Parameter counts: which requests and other lines of the log count, by their words; all
  ///   requests by default.
  init(
    counting counts: (@Sendable (String) -> Bool)? = nil,
    _ action: @escaping @Sendable () -> Void
  ) {
    self.counts = counts
    self.action = action
  }

  /// Freezes the server (SIGSTOP) or kills it.
  static func signalling(_ signal: Int32, _ sandbox: PulseSandbox) async throws -> Tripwire {
    let pid = await sandbox.processID()!
    return Tripwire {
      kill(pid, signal)
      // Its threads stop one after the other, a moment later.
      while !["T", "Z", ""].contains(processState(pid)) { sched_yield() }
    }
  }

  /// The nth request from now on is the one.
  func arm(_ number: Int) { left.store(number, ordering: .sequentiallyConsistent) }

  /// Whether it has acted.
  var hasTripped: Bool { tripped.load(ordering: .sequentiallyConsistent) }

  /// Gets each request of a session, at trace.
  var logger: Logger {
    Logger(label: "tripwire") { _ in Handler(wire: self) }
  }

  private func pass() {
    guard left.subtract(1, ordering: .sequentiallyConsistent).newValue == 0 else { return }
    tripped.store(true, ordering: .sequentiallyConsistent)
    action()
  }

  private struct Handler: LogHandler {
    var wire: Tripwire
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      if wire.counts?(event.message.description) ?? (event.level == .trace) { wire.pass() }
    }
  }
}

/// The letter of a process's state; empty where there is none.
private func processState(_ pid: Int32) -> String {
  File.text("/proc/\(pid)/stat").split(separator: ")").last?.split(separator: " ").first
    .map(String.init) ?? ""
}
