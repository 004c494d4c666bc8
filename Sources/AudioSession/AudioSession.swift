public import Logging
import Pulse
import PulseTypes
import SessionCore

/// How a session connects, and where it keeps its files.
public struct SessionConfiguration: Sendable {
  /// How long a call may take in total, including its rollback.
  public var timeout: Duration
  /// The folder for the mode, the status and the baseline; nil means `$XDG_STATE_HOME/audiosession`.
  public var storeFolder: String?
  /// `$XDG_STATE_HOME/audiosession`, by default in `~/.local/state`.
  package static var defaultStoreFolder: String { SessionStore.defaultFolder }
  /// Whether the session holds its server's session while it is active: it keeps the lock, and the
  /// pins that hold rate and buffer. A command that applies and ends does not.
  public var isHolding: Bool
  /// Whether a holding session keeps holding without a mode and takes orders from commands, as a
  /// service does.
  package var holdsWithoutMode = false
  /// The session's name on the server.
  public var name: String
  /// Called around each change that this session is asked to make.
  package var observer: SessionObserver?
  /// Gets each request at trace level, each plan at debug level.
  public var logger: Logger?
  /// Gets everything that the session sees, decides and does, on the session's thread: a bug report
  /// that can be replayed.
  package var tracer: (@Sendable (TraceEntry) -> Void)?
  /// The server's address in PulseAudio's syntax; nil means the environment's.
  package var server: String?
  /// Whether a call after `close` opens the session again.
  package var reopens = false

  /// Makes a configuration; every value has a default.
  public init(
    timeout: Duration = .seconds(5), storeFolder: String? = nil, isHolding: Bool = true,
    name: String = "Audio session", logger: Logger? = nil
  ) {
    self.timeout = timeout
    self.storeFolder = storeFolder
    self.isHolding = isHolding
    self.name = name
    self.logger = logger
  }
}

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

  let loop = PulseLoop()
  package nonisolated let configuration: SessionConfiguration
  var connection = Connection.none
  /// Its lock, and the mode of this process.
  var life = SessionLife<Hold, OwnMode>()
  /// Whose streams the session controls; depends on the mode.
  var scope = Scope.server
  /// The files of a session with scope `.application`.
  let ownFiles = MemoryFiles()
  /// What other processes request of this session while it holds.
  var orders = Orders()
  var learned = Learned()
  var queue = CallQueue()
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
    self.configuration = configuration
    readers = SessionReaders()
    broadcast = Broadcast(to: readers)
  }

  deinit { readers.finish() }

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
    // Moves its streams back; otherwise the server would remember where the session moved them.
    if scope == .application, life.isActive, await live?.lost == nil { _ = try? await revert() }
    life.beginClosing()
    queue.running?.set()
    queue.endPause()
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
    life.close()
    emit(.stopped)
    readers.finish()
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

  /// The connected server.
  var live: LiveServer? { if case .live(let live) = connection { live } else { nil } }

  /// Whether this session maintains the server's setup, as the only writer.
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

/// The way to the server.
enum Connection {
  typealias Attempt = Task<Result<LiveServer, SessionError>, Never>

  case none
  case connecting(Attempt)
  /// Connected, until the loss is noticed.
  case live(LiveServer)
}

/// What entitles a session to write.
enum Hold {
  /// The lock of the server.
  case server(SessionLock)
  /// The claim on this program's own streams.
  case application(ApplicationClaim)
}

/// Lets calls that change something run one after the other, in order. For the code of one actor.
package final class Turns {
  private var isTaken = false
  /// Those who wait; who may leave has a number.
  private var waiting: [(number: UInt64?, continuation: CheckedContinuation<Bool, Never>)] = []
  private var lastNumber: UInt64 = 0

  package init() {}

  /// Takes the turn if it is free.
  func takeIfFree() -> Bool {
    defer { isTaken = true }
    return !isTaken
  }

  /// Waits for the turn; false if the caller with this number has left before.
  @discardableResult
  package func take(
    as number: UInt64? = nil, isolation: isolated (any Actor)? = #isolation
  ) async -> Bool {
    if takeIfFree() { return true }
    return await withCheckedContinuation { waiting.append((number, $0)) }
  }

  /// A number for a caller that may leave.
  func drawNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  /// Ends a wait without the turn, if it still waits.
  func leave(_ number: UInt64) {
    guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
    waiting.remove(at: index).continuation.resume(returning: false)
  }

  /// Passes the turn to the next waiting caller, if any.
  package func pass() {
    guard waiting.isEmpty else { return waiting.removeFirst().continuation.resume(returning: true) }
    isTaken = false
  }
}

extension AudioSession {
  /// Takes the turn before current or waiting upkeep: upkeep stops at its next step and continues
  /// later.
  func takeTurnFromUpkeep() async {
    queue.waiting += 1
    queue.upkeep?.set()
    await queue.turns.take()
    queue.waiting -= 1
  }

  /// The same for a call that ends without the turn when its task is cancelled or its time has passed.
  func takeTurnFromUpkeep(by deadline: Deadline) async throws(SessionError) {
    queue.waiting += 1
    defer { queue.waiting -= 1 }
    queue.upkeep?.set()
    if queue.turns.takeIfFree() { return }
    let number = queue.turns.drawNumber()
    let alarm = deadline.onPassing(on: loop) { await self.leaveTurns(number) }
    let hasTurn = await withTaskCancellationHandler {
      await queue.turns.take(as: number)
    } onCancel: {
      Task { await leaveTurns(number) }
    }
    alarm.cancel()
    guard !hasTurn else { return }
    guard Task.isCancelled else { throw Self.noTime }
    throw SessionError(
      .cancelled, stage: .session, "cancelled while an earlier change was in progress")
  }

  private func leaveTurns(_ number: UInt64) { queue.turns.leave(number) }
}
