import AudioSession
import POSIX
import PulseSandbox

/// Runs the users' programs for an occasion: those in `hooks/OCCASION.d`, one after the other.
///
/// Their results do not affect the session; failures are reported.
final class Hooks: Sendable {
  /// The time limit of all hooks before a change together; the change waits for them.
  static let timeBefore = Duration.seconds(2)
  /// The time limit of one hook at any other time.
  static let timeAfter = Duration.seconds(10)
  /// The time limit of all remaining hooks together when the program ends.
  static let timeAtEnd = Duration.seconds(5)
  /// How many bytes of a hook's output are kept.
  static let outputLimit = 1 << 16
  /// The variables that tell a program that it is a hook, and of what.
  static let variables: Set<String> = [
    "AUDIOSESSION_HOOK", "AUDIOSESSION_PROFILE", "AUDIOSESSION_INPUT", "AUDIOSESSION_OUTPUT",
    "AUDIOSESSION_SERVER", "AUDIOSESSION_REASON", "AUDIOSESSION_ERROR",
  ]

  private let folders: HookFolders
  private let output: Output
  private let limit: Duration
  /// Whether what they print is shown.
  private let isVerbose: Bool
  private let queue = Guarded(Queue())

  /// The occasions to run, one after the other; at most one of each kind, the newest.
  private struct Queue {
    var waiting: [Occasion] = []
    /// Runs the hooks; nil while there are none to run.
    var worker: Task<Void, Never>?

    /// The next occasion; without one the worker ends.
    mutating func next() -> Occasion? {
      guard waiting.isEmpty else { return waiting.removeFirst() }
      worker = nil
      return nil
    }
  }

  /// Nil if hooks must not run: in a private server that is not the user's, and inside a hook,
  /// which would call itself.
  init?(options: GlobalOptions, output: Output) {
    guard !options.sandbox, ProcessEnvironment["AUDIOSESSION_HOOK"] == nil else { return nil }
    folders = HookFolders()
    self.output = output
    isVerbose = options.verbose > 0
    limit = min(Self.timeBefore, options.timeout.duration * 2 / 5)
  }

  /// Runs hooks around the session's changes.
  var observer: SessionObserver {
    SessionObserver(
      isAwaiting: { !self.folders.hooks(for: "pre-\($0.word)").isEmpty },
      willChange: { change, state in
        let end = ContinuousClock.now + self.limit
        let occasion = Occasion(name: "pre-\(change.word)", state: state, profile: change.profile)
        await self.run(occasion) { end - ContinuousClock.now }
      },
      didChange: { change, result in
        let occasion =
          switch result {
          case .success(let state):
            Occasion(name: "post-\(change.word)", state: state, profile: change.profile)
          case .failure(let error):
            Occasion(name: "\(change.word)-failed", profile: change.profile, error: error)
          }
        // Without a hook for it there is nothing to wait for when the program ends.
        if !self.folders.hooks(for: occasion.name).isEmpty { self.enqueue(occasion) }
      })
  }

  /// Runs the hooks for an event of the session, without waiting for them.
  ///
  /// - Parameter state: reads the state if there is a hook that needs it.
  func note(_ event: SessionEvent, _ state: @escaping @Sendable () async -> SessionState?) async {
    let name = event.name.kebab
    // Applying has its own hooks, with the profile.
    guard event != .applied, !folders.hooks(for: name).isEmpty else { return }
    enqueue(Occasion(name: name, state: await state(), event: event))
  }

  /// Runs the hooks for the start of `watch`, such as tasks for each login.
  func noteStart(_ state: SessionState) { enqueue(Occasion(name: "started", state: state)) }

  /// Waits a limited time for the remaining hooks, then ends them.
  func finish() async {
    guard let worker = queue.withLock({ $0.worker }) else { return }
    let (end, isOver) = AsyncStream.makeStream(of: Never.self)
    Task {
      await worker.value
      isOver.finish()
    }
    Task {
      try await ContinuousClock().sleep(for: Self.timeAtEnd)
      worker.cancel()
      // A process that a hook left behind may keep its output open; does not wait for that.
      try await ContinuousClock().sleep(for: .milliseconds(500))
      isOver.finish()
    }
    for await _ in end {}
  }

  /// Runs the hooks for an occasion after those that wait already. It replaces a waiting occasion
  /// of the same kind: a slow hook gets the newest one, and the queue does not grow.
  private func enqueue(_ occasion: Occasion) {
    queue.withLock { queue in
      queue.waiting.removeAll { $0.name == occasion.name }
      queue.waiting.append(occasion)
      if queue.worker == nil { queue.worker = Task { await work() } }
    }
  }

  private func work() async {
    while let occasion = queue.withLock({ $0.next() }) { await run(occasion) { Self.timeAfter } }
  }

  private func run(_ occasion: Occasion, _ timeLeft: () -> Duration) async {
    let hooks = folders.hooks(for: occasion.name)
    guard !hooks.isEmpty else { return }
    let (environment, input) = (occasion.environment, occasion.input)
    for hook in hooks {
      let time = timeLeft()
      let obstacle =
        hook.refusal ?? (Task.isCancelled ? "the program ends" : nil)
        ?? (time > .zero ? nil : "those before it took all of the time")
      if let obstacle {
        output.warning("the hook \(hook.path) is not run: \(obstacle)")
        continue
      }
      do throws(SandboxError) {
        let result = try await runProgram(
          [hook.path], timeout: time, adding: environment, input: input,
          keeping: Self.outputLimit)
        let lines = (result.standardError + result.standardOutput).split(separator: "\n")
        if isVerbose {
          for line in lines { output.log("the hook \(hook.path): \(line)") }
        }
        guard result.status != 0 else { continue }
        guard !Task.isCancelled else {
          output.warning("the hook \(hook.path) was ended: the program ends")
          continue
        }
        output.warning(
          "the hook \(hook.path) ended with \(result.status)"
            + (lines.first.map { ": \($0)" } ?? ""))
      } catch {
        let why =
          error.code == .timedOut ? "was ended: it took too long" : "failed: \(error.message)"
        output.warning("the hook \(hook.path) \(why)")
      }
    }
  }
}

/// The occasion for hooks, and the data they get, which are made if there are hooks.
private struct Occasion: Sendable {
  /// `pre-apply`, `route-changed`: the folder's name without `.d`.
  var name: String
  var state: SessionState?
  var profile: String?
  var event: SessionEvent?
  var error: SessionError?

  var environment: [String: String] {
    var variables = [
      "AUDIOSESSION_HOOK": name, "AUDIOSESSION_PROFILE": profile ?? state?.profile ?? "",
      "AUDIOSESSION_INPUT": state?.route.inputs.first?.name ?? "",
      "AUDIOSESSION_OUTPUT": state?.route.outputs.first?.name ?? "",
    ]
    if let server = state?.server?.address {
      variables["AUDIOSESSION_SERVER"] = server
      variables["PULSE_SERVER"] = server
    }
    if case .routeChanged(let reason, _, _) = event {
      variables["AUDIOSESSION_REASON"] = reason.rawValue
    }
    if case .reapplyFailed(let error) = event { variables["AUDIOSESSION_ERROR"] = error.message }
    if let error { variables["AUDIOSESSION_ERROR"] = error.message }
    return variables.mapValues { $0.replacing("\0", with: "") }
  }

  /// The state as JSON; empty if it is unknown.
  var input: String { state.flatMap { try? JSONText.encode($0) } ?? "" }
}

extension SessionChange {
  fileprivate var word: String {
    switch self {
    case .apply: "apply"
    case .revert: "revert"
    }
  }

  fileprivate var profile: String? {
    if case .apply(let profile) = self { profile } else { nil }
  }
}

extension String {
  /// `routeChanged` as `route-changed`.
  fileprivate var kebab: String {
    map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }.joined()
  }
}
