public import Logging
import Pulse
import PulseTypes
import SessionCore

/// How a session connects and keeps its things.
public struct SessionConfiguration: Sendable {
  /// How long a call may take in all, rollback included.
  public var timeout: Duration
  /// Where wish, status and baseline are kept; nil means `defaultStoreFolder`.
  public var storeFolder: String?
  /// `$XDG_STATE_HOME/audiosession`, by default in `~/.local/state`.
  public static var defaultStoreFolder: String { SessionStore.defaultFolder }
  /// Whether the session holds its server's session while active: the lock, and the pins that keep
  /// rate and buffer. A command that applies and ends does not.
  public var isHolding: Bool
  /// Whether a holding session goes on holding when there is no wish, and takes orders of commands:
  /// a service does.
  public var holdsWithoutWish: Bool
  /// What the session is called on the server.
  public var name: String
  /// Called around each change that this session makes because it was asked to.
  public var observer: SessionObserver?
  /// Gets each request at trace, each plan at debug.
  public var logger: Logger?
  /// Gets what the session sees, decides and does, on its own thread: a bug report that can be run.
  public var tracer: (@Sendable (TraceEntry) -> Void)?

  /// Makes a configuration; every value has a default.
  public init(
    timeout: Duration = .seconds(5), storeFolder: String? = nil, isHolding: Bool = true,
    holdsWithoutWish: Bool = false, name: String = "Audio session", logger: Logger? = nil
  ) {
    self.timeout = timeout
    self.storeFolder = storeFolder
    self.isHolding = isHolding
    self.holdsWithoutWish = holdsWithoutWish
    self.name = name
    self.logger = logger
  }
}

/// The audio setup of a server, declared and made so: AVAudioSession for Linux.
///
/// An actor on the thread that talks to the server. Calls may come from anywhere; those that change
/// something run one after the other, and a later `setAudioMode` takes the place of an earlier one
/// that has not begun. What was applied stays when the session closes; `setActive(false)` and
/// `revert()` restore what was before.
public actor AudioSession {
  /// The session of the environment's default server.
  ///
  /// Once closed, it is opened again by the next call.
  public static let shared = AudioSession(server: nil, configuration: .init(), reopens: true)

  let loop = PulseLoop()
  package nonisolated let address: String?
  package nonisolated let configuration: SessionConfiguration
  var live: LiveServer?
  var lock: Hold?
  /// Whose streams the session is about; changes with the wish.
  var scope = Scope.server
  /// The files of a session of this program alone.
  let ownFiles = MemoryFiles()
  /// What the store has, while this session is the only one that writes there.
  var held: Held?
  /// What was found damaged in the store, and set aside.
  var storeNotes: [String] = []
  /// What others ask of this session while it holds.
  var orders = Orders()
  var own: OwnWish?
  var refusals: [Setting: String] = [:]
  var capabilities: Capabilities?
  var turns = Turns()
  var connecting: Task<Result<LiveServer, SessionError>, Never>?
  /// The change under way, where there is one that can be stopped.
  var running: StopSignal?
  /// Stops the upkeep that is under way.
  var mending: StopSignal?
  /// How many wait for their turn that upkeep makes room for.
  var callers = 0
  var requests: UInt64 = 0
  /// How many calls have said what is to be in force.
  var wishes: UInt64 = 0
  /// The last call that replaces the whole wish: those that wait before it need not run.
  var lastReplacement: UInt64 = 0
  var broadcast = Broadcast()
  var lastRoute: Route?
  var lastSnapshot: ServerSnapshot?
  /// Where sound goes until the next route change.
  var portOverride = PortOverride.none
  var upkeep = Upkeep()
  /// Whether the wish is in force; false after `setActive(false)` and before the first apply.
  var isActive = false
  var isClosed = false
  /// Whether `close` is under way: what waits before it is not to begin any more.
  var isClosing = false
  /// Whether a call after `close` opens it again.
  let reopens: Bool
  /// Whether what was before is to be restored when the server answers.
  var owesRestoring = false

  /// A wish of this process.
  struct OwnWish {
    var mode: AudioMode
    var profile: String?
  }

  /// What the store has.
  struct Held {
    var baseline: Baseline
    var memory: HintMemory
    var wish: SessionStore.Wish?
    /// The levels that devices were given under this wish.
    var charges = Charges()
  }

  /// Runs the actor on the server connection's thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.asUnownedSerialExecutor()
  }

  /// Makes a session; it connects when it is first needed.
  ///
  /// - Parameters:
  ///   - server: the server's address in PulseAudio's spelling; nil means the environment's.
  ///   - configuration: timeouts and places.
  public init(server: String? = nil, configuration: SessionConfiguration = .init()) {
    self.init(server: server, configuration: configuration, reopens: false)
  }

  package init(server: String?, configuration: SessionConfiguration, reopens: Bool) {
    address = server
    self.configuration = configuration
    self.reopens = reopens
  }

  deinit { broadcast.finish() }

  /// Ends the session's connection, pins and lock; what was applied stays, but others are no longer
  /// silenced or ducked. May be repeated.
  ///
  /// A change that is under way is stopped as by a cancellation, and what it did is undone before
  /// this returns.
  public func close() async {
    // Its streams go back to where they were: what they were moved to would be remembered.
    if scope == .application, isActive, await live?.lost == nil { _ = try? await revert() }
    (isClosed, isClosing) = (true, true)
    running?.set()
    await takeTurnFromUpkeep()
    defer {
      isClosing = false
      turns.pass()
    }
    orders.stop()
    await leaveOthers()
    await live?.memoryKeeper.settle(deadline: Deadline(after: .seconds(2)))
    await dropConnection()
    dropLock()
    emit(.stopped)
    broadcast.finish()
  }

  /// Whether this session keeps the server's setup: nobody else writes to it.
  var isHolder: Bool { configuration.isHolding && lock != nil }

  func dropLock() {
    lock = nil
    held = nil
  }

  /// How often the session waited for the server since it connected; for the benchmark.
  package var roundTrips: Int {
    get async { await live?.roundTrips ?? 0 }
  }

  /// How often the session has looked at its server because something changed; for the benchmark.
  package var looks: Int { upkeep.looks }

  /// Drops the connection, and keeps the lock: the session still holds the server that will be.
  func dropConnection() async {
    let live = live
    self.live = nil
    await live?.close()
  }
}

/// What makes a session the one that may write.
enum Hold {
  /// The lock of the server.
  case server(SessionLock)
  /// The claim on this program's own streams.
  case application(ApplicationClaim)
}

/// Lets calls that change something run one after the other, in their order.
package struct Turns {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  package init() {}

  /// Whether the caller has the turn at once; else it must wait with `enqueue`.
  package mutating func takeIfFree() -> Bool {
    defer { isTaken = true }
    return !isTaken
  }

  package mutating func enqueue(_ continuation: CheckedContinuation<Void, Never>) {
    waiting.append(continuation)
  }

  /// Gives the turn to the next, if somebody waits.
  package mutating func pass() {
    guard waiting.isEmpty else { return waiting.removeFirst().resume() }
    isTaken = false
  }
}

extension AudioSession {
  func takeTurn() async {
    if turns.takeIfFree() { return }
    await withCheckedContinuation { turns.enqueue($0) }
  }

  /// Takes the turn before upkeep that is under way or in the line: that stops at its next step, and
  /// goes on later.
  func takeTurnFromUpkeep() async {
    callers += 1
    mending?.set()
    await takeTurn()
    callers -= 1
  }
}
