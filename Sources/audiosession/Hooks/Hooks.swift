import AudioSession
import Glibc
import PulseSandbox
import Synchronization

/// Runs people's programs when something happens: those of `hooks/OCCASION.d`, one after the other.
///
/// Whatever becomes of them changes nothing of what the session does; a failure is said.
final class Hooks: Sendable {
  /// How long the hooks before a change may take together; the change waits for them.
  static let timeBefore = Duration.seconds(2)
  /// How long one may take at any other time.
  static let timeAfter = Duration.seconds(10)

  private let folders: HookFolders
  private let output: Output
  private let limit: Duration
  /// The last of those that run one after the other.
  private let last = Mutex<Task<Void, Never>?>(nil)

  /// Nil where none may run: in a private server that is not the user's, and inside of a hook, which
  /// would come back to itself.
  init?(options: GlobalOptions, output: Output) {
    guard !options.sandbox, getenv("AUDIOSESSION_HOOK") == nil else { return nil }
    folders = HookFolders()
    self.output = output
    limit = min(Self.timeBefore, options.timeout.duration * 2 / 5)
  }

  /// What the session tells of its changes.
  var observer: SessionObserver {
    SessionObserver(
      willChange: { change, state in
        await self.before(Occasion("pre-\(change.word)", state, profile: change.profile))
      },
      didChange: { change, result in
        let occasion =
          switch result {
          case .success(let state):
            Occasion("post-\(change.word)", state, profile: change.profile)
          case .failure(let error):
            Occasion("\(change.word)-failed", nil, profile: change.profile, error: error)
          }
        self.enqueue(occasion)
      })
  }

  /// Runs what there is for an event of the session, without waiting for it.
  ///
  /// - Parameter state: reads the state, where there is a hook that wants it.
  func note(_ event: SessionEvent, _ state: @escaping @Sendable () async -> SessionState?) async {
    let name = event.name.kebab
    // Applying has its own, with what is applied.
    guard event != .applied, !folders.hooks(for: name).isEmpty else { return }
    enqueue(Occasion(name, await state(), event: event))
  }

  /// `watch` holds now: for what is to be done at each login.
  func noteStart(_ state: SessionState) { enqueue(Occasion("started", state)) }

  /// Waits for what was begun.
  func finish() async { await last.withLock { $0 }?.value }

  private func before(_ occasion: Occasion) async {
    let end = ContinuousClock.now + limit
    await run(occasion) { end - ContinuousClock.now }
  }

  private func enqueue(_ occasion: Occasion) {
    last.withLock { last in
      let former = last
      last = Task {
        await former?.value
        await run(occasion) { Self.timeAfter }
      }
    }
  }

  private func run(_ occasion: Occasion, _ timeLeft: () -> Duration) async {
    for hook in folders.hooks(for: occasion.name) {
      if let refusal = hook.refusal {
        output.warning("the hook \(hook.path) is not run: \(refusal)")
        continue
      }
      let time = timeLeft()
      guard time > .zero else {
        output.warning("the hook \(hook.path) is not run: those before it took all of the time")
        continue
      }
      do throws(SandboxError) {
        let result = try await runProgram(
          [hook.path], timeout: time, adding: occasion.environment, input: occasion.input)
        guard result.status != 0 else { continue }
        let words = (result.standardError + result.standardOutput).split(separator: "\n").first
        output.warning(
          "the hook \(hook.path) ended with \(result.status)" + (words.map { ": \($0)" } ?? ""))
      } catch {
        let why =
          error.code == .timedOut ? "was ended: it took too long" : "failed: \(error.message)"
        output.warning("the hook \(hook.path) \(why)")
      }
    }
  }
}

/// What hooks are run for, and what they are told.
private struct Occasion: Sendable {
  /// `pre-apply`, `route-changed`: the folder without its `.d`.
  var name: String
  var environment: [String: String]
  /// The state as JSON; empty where it is not known.
  var input: String

  init(
    _ name: String, _ state: SessionState?, profile: String? = nil, event: SessionEvent? = nil,
    error: SessionError? = nil
  ) {
    self.name = name
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
    environment = variables.mapValues { $0.replacing("\0", with: "") }
    input = state.flatMap { try? JSONText.encode($0) } ?? ""
  }
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
