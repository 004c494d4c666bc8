package import Pulse
import SessionCore

/// Declares the audio setup of a server, applies it, and keeps it applied: AVAudioSession for
/// Linux.
///
/// An actor on the thread that talks to the server. Any task may call it. Calls that change
/// something run one after the other; a later `setAudioMode` replaces an earlier one that has not
/// begun. An applied mode stays when the session closes; `setActive(false)` and `revert()` restore
/// the previous setup.
public actor AudioSession {
  /// The session of the environment's default server.
  ///
  /// After `close`, the next call opens it again.
  public static let shared = {
    var configuration = SessionConfiguration()
    configuration.reopens = true
    return AudioSession(configuration: configuration)
  }()

  package nonisolated let loop: PulseLoop
  package nonisolated let configuration: SessionConfiguration
  var connection: Connection
  /// Its lock, and the mode of this process.
  var life: SessionLife<Hold, OwnMode>
  /// Whose streams the session controls; depends on the mode.
  var scope: Scope
  /// The files of a session with scope `.application`.
  let ownFiles: MemoryFiles
  /// What other processes request of this session while it holds.
  var orders = Orders()
  var learned = Learned()
  var queue: CallQueue
  nonisolated let readers: SessionReaders
  var broadcast: Broadcast
  var upkeep = Upkeep()

  /// The mode of this process.
  struct OwnMode {
    var mode: AudioMode
    var profile: String?
  }

  /// Runs the actor on the server connection's thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.asUnownedSerialExecutor()
  }

  /// Makes a session. It connects when it is first needed.
  ///
  /// - Parameters:
  ///   - server: the server's address in PulseAudio's syntax; nil means the environment's.
  ///   - configuration: time limits, folders and options.
  public init(server: String? = nil, configuration: SessionConfiguration = .init()) {
    var configuration = configuration
    configuration.server = server
    self.init(configuration, PulseLoop(), MemoryFiles())
  }

  /// Makes a session, which may take what another one has.
  private init(
    _ configuration: SessionConfiguration, _ loop: PulseLoop, _ files: MemoryFiles,
    _ life: SessionLife<Hold, OwnMode> = SessionLife(), _ connection: Connection = .none,
    _ scope: Scope = .server
  ) {
    self.configuration = configuration
    (self.loop, ownFiles, queue) = (loop, files, CallQueue(on: loop))
    (self.life, self.connection, self.scope) = (life, connection, scope)
    readers = SessionReaders()
    broadcast = Broadcast(to: readers)
  }

  /// A session that is released is closed, if it has something to give back.
  deinit {
    readers.finish(isLast: true)
    let changesOthers = life.held?.baseline.entries.contains { $0.setting.isOfOthers } == true
    let hasOwnStreams = life.isActive ? scope == .application : false
    guard case .live = connection, changesOthers || hasOwnStreams else { return }
    Heirs.close(AudioSession(configuration, loop, ownFiles, life, connection, scope))
  }

  /// Ends the session's connection, pins and lock. An applied mode stays in effect, but other
  /// programs are no longer silenced or ducked; a session with scope `.application` is reverted
  /// first. May be called repeatedly.
  ///
  /// A change in progress is stopped as by a cancellation, and is undone before this returns.
  public func close() async {
    // A cancelled task sends no request, and the end has others' streams to restore.
    await Task { await end() }.value
  }

  private func end() async {
    queue.beginClose()
    defer { queue.endClose() }
    queue.stop()
    // Moves its streams back; otherwise the server would remember where the session moved them.
    if scope == .application, life.isActive, await live?.lost == nil { _ = try? await revert() }
    life.beginClosing()
    queue.stop()
    if case .connecting(let attempt) = connection { attempt.cancel() }
    let alarm = Deadline(after: .seconds(2)).onPassing(on: loop) { await self.endUpkeep() }
    await takeTurnFromUpkeep()
    alarm.cancel()
    defer { queue.turns.pass() }
    // Another call has closed it in the meantime.
    guard life.isClosing else { return }
    orders.stop()
    await leaveOthers()
    await live?.memoryKeeper.settle(deadline: Deadline(after: .seconds(2)))
    await dropConnection()
    upkeep.clock = nil
    // A shared session may be opened again.
    _ = takeOverEnded()
    life.close()
    emit(.stopped)
    readers.finish(isLast: !configuration.reopens)
  }

  /// Ends a request that the server does not answer, so that a close need not wait for its time limit,
  /// unless a change is in progress, which must be finished or undone. What upkeep was restoring is the
  /// mode's, and the values from before are on disk.
  private func endUpkeep() async {
    guard queue.running == nil else { return }
    await dropConnection()
  }

  /// The server's address; nil means the environment's.
  package nonisolated var address: String? { configuration.server }

  var live: LiveServer? { if case .live(let live) = connection { live } else { nil } }

  var isHolder: Bool { life.isHolder }

  /// How often the session has waited for the server since it connected; for the benchmark.
  package var roundTrips: Int {
    get async { await live?.roundTrips ?? 0 }
  }

  /// How often the session has read its server because of a change; for the benchmark.
  package var looks: Int { upkeep.looks }

  /// Drops the connection and keeps the lock: the session will hold the server after its restart.
  func dropConnection() async {
    guard let live else { return }
    connection = .none
    await live.close()
  }
}
