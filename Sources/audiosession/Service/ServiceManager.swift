import PulseSandbox

/// The user's service manager, asked through `systemctl --user`.
struct ServiceManager {
  let timeout: Duration

  /// The outcome of a run of systemctl.
  enum Outcome {
    case done(String)
    /// It refused, with this message.
    case failed(String)
    /// It did not answer in time; the requested job continues.
    case waiting
  }

  /// Why no service manager can be used; nil if one can.
  ///
  /// None is used inside a sandbox, because it would be the user's own.
  func absence() async -> String? {
    guard RemoteSandbox() == nil else { return "a sandbox has no service manager" }
    switch await run(["show-environment"]) {
    case .done: return nil
    case .failed(let words): return words
    case .waiting: return "systemctl does not answer"
    }
  }

  /// The commands that are left to a person where no service manager was asked; none inside a sandbox,
  /// where they would change the user's own service.
  static func left(_ words: String...) -> [String] {
    RemoteSandbox() == nil ? words.map { "systemctl --user " + $0 } : []
  }

  /// Runs `systemctl --user` with these arguments.
  func run(_ words: [String]) async -> Outcome {
    do throws(SandboxError) {
      let result = try await runProgram(["systemctl", "--user"] + words, timeout: timeout)
      guard result.status != 0 else { return .done(result.standardOutput.firstLine) }
      // is-active and is-enabled print it on standard output, and also exit with a status.
      let words = [result.standardError.firstLine, result.standardOutput.firstLine]
      return .failed(words.first { !$0.isEmpty } ?? "systemctl ended with \(result.status)")
    } catch {
      return error.code == .timedOut ? .waiting : .failed(error.message)
    }
  }

  /// The service's process, which may still wait for its server; nil if none runs.
  func process() async -> Int32? {
    guard await absence() == nil,
      case .done(let word) = await run(["show", "--property=MainPID", "--value", ServiceUnit.name]),
      let process = Int32(word), process > 0
    else { return nil }
    return process
  }

  /// One word of `systemctl`'s output, such as `active` or `disabled`; nil if it cannot be read.
  func word(_ command: String) async -> String? {
    switch await run([command, ServiceUnit.name]) {
    case .done(let word): word
    // The answer is one word; anything longer is an error.
    case .failed(let words): words.contains(" ") ? nil : words
    case .waiting: nil
    }
  }
}

extension String {
  fileprivate var firstLine: String {
    split(separator: "\n").first.map(String.init) ?? ""
  }
}
