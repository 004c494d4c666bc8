import AudioSession
import PulseSandbox

/// The user's service manager, asked through `systemctl --user`.
struct ServiceManager {
  let timeout: Duration

  /// What a run of systemctl came to.
  enum Outcome {
    case done(String)
    /// It said no, in these words.
    case failed(String)
    /// It had not answered in time; what was asked goes on.
    case waiting
  }

  /// Why no manager can be asked; nil where one can.
  ///
  /// Inside of a sandbox none is, because it would be the user's own.
  func absence() async -> String? {
    guard RemoteSandbox() == nil else { return "a sandbox has no service manager" }
    switch await run("show-environment") {
    case .done: return nil
    case .failed(let words): return words
    case .waiting: return "systemctl does not answer"
    }
  }

  /// Runs `systemctl --user` with these words.
  func run(_ words: String...) async -> Outcome {
    do throws(SandboxError) {
      let result = try await runProgram(["systemctl", "--user"] + words, timeout: timeout)
      guard result.status != 0 else { return .done(result.standardOutput.firstLine) }
      // is-active and is-enabled say it on standard output, and end with a number as well.
      let words = [result.standardError.firstLine, result.standardOutput.firstLine]
      return .failed(words.first { !$0.isEmpty } ?? "systemctl ended with \(result.status)")
    } catch {
      return error.code == .timedOut ? .waiting : .failed(error.message)
    }
  }

  /// A word of `systemctl`, such as `active` or `disabled`; nil where it cannot be asked.
  func word(_ command: String) async -> String? {
    switch await run(command, ServiceUnit.name) {
    case .done(let word): word
    // It answers in one word; anything longer is an error.
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
