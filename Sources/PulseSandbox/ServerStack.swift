internal import Glibc
internal import POSIX

/// The processes of a sandbox's server, each with a supervisor.
///
/// Not Sendable: a sandbox uses it under its lock.
final class ServerStack {
  private let folder: SandboxFolder
  private let configuration: SandboxConfiguration
  /// The command line of each process.
  private let commands: [ServerProcess: [String]]
  /// Every process that was started, even if it has ended.
  private var daemons: [ServerProcess: Daemon] = [:]
  private let order: [ServerProcess]
  /// Where the log of the last start begins, in bytes.
  private(set) var logStart = 0

  init(
    _ configuration: SandboxConfiguration, in folder: SandboxFolder,
    _ commands: [ServerProcess: [String]]
  ) {
    self.configuration = configuration
    self.folder = folder
    self.commands = commands
    order = configuration.processes
  }

  /// Starts the processes that do not run, in order, each when the previous one can be reached.
  ///
  /// - Parameter isSuccessor: whether this completes an earlier start, whose log counts.
  func start(
    until deadline: ContinuousClock.Instant, isSuccessor: Bool = false
  ) throws(SandboxError) {
    if !isSuccessor { logStart = Int(File.status(folder.log)?.st_size ?? 0) }
    for process in order where daemons[process]?.isRunning != true {
      daemons.removeValue(forKey: process)?.end()
      try start(process, until: deadline)
    }
  }

  private func start(
    _ process: ServerProcess, until deadline: ContinuousClock.Instant
  ) throws(SandboxError) {
    let socket = process.socket(in: folder)
    let readiness = socket.map { Readiness(socket: $0, in: folder) }
    let daemon = try Daemon(command: commands[process] ?? [], folder: folder)
    daemons[process] = daemon
    try daemon.awaitProcessID(until: deadline)
    let outcome = readiness?.await(daemon, until: deadline) ?? .ready
    let log = ServerLog(path: folder.log, from: logStart)
    if let error = log.failure(in: configuration) { throw error }
    switch outcome {
    case .ready: break
    case .died:
      throw SandboxError(.serverDied, "\(noun(process)) ended at its start:\n\(log.tail)")
    case .timedOut:
      throw SandboxError(.timedOut, "\(noun(process)) was not ready in time:\n\(log.tail)")
    }
  }

  private func noun(_ process: ServerProcess) -> String {
    order.count == 1 ? "the server" : "the server's \(process.rawValue)"
  }

  /// The named processes that have not ended; nil names all.
  func running(_ process: ServerProcess?) -> [Daemon] {
    (process.map { [$0] } ?? order).compactMap { daemons[$0] }.filter(\.isRunning)
  }

  /// Ends a process and its supervisor; nil names all. WirePlumber and cards end with PipeWire, and
  /// must not count as running while they do.
  func end(_ process: ServerProcess? = nil) {
    let named = process.map { $0 == .pipewire ? [.wireplumber, .simulatedCards, $0] : [$0] }
    for process in named ?? order.reversed() {
      daemons.removeValue(forKey: process)?.end()
    }
  }

  func endRemovingFolder() {
    guard let last = order.first(where: { daemons[$0] != nil }) else { return folder.remove() }
    for process in order.reversed() where process != last { end(process) }
    daemons.removeValue(forKey: last)?.end(removing: folder)
  }
}
