import FoundationEssentials
import Glibc
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

extension PulseSandbox {
  /// Runs the program inside, with the sandbox's server, store and folder of profiles.
  ///
  /// It has more time than a user's program, as `$A` has: the machine may stand still for seconds.
  func audiosession(_ arguments: String...) async throws -> CommandResult {
    try await capture([builtProgram, "--timeout", "60s"] + arguments, timeout: .seconds(90))
      .withTrueRates()
  }

  /// Runs a shell script inside; `$A` is the program, unquoted.
  func shell(_ script: String) async throws -> CommandResult {
    // A loop that waits for a condition asks with pauses: many run at once.
    // A signal that stops a process is handled by one of its threads, and on a busy machine the others run
    // on until that one does.
    let prelude = """
      pause() { sleep 0.02; }
      freeze() {
        kill -STOP $1
        while grep -h '^State:' /proc/$1/task/*/status | grep -vq 'T (stopped)'; do pause; done
      }

      """
    return try await capture(
      ["env", "A=\(builtProgram) --timeout 60s", "sh", "-c", prelude + script],
      timeout: .seconds(180)
    ).withTrueRates()
  }

  /// Writes a profile where the program inside finds it by name.
  func write(profile name: String, _ text: String) throws {
    let config = try #require(environment["XDG_CONFIG_HOME"])
    for folder in ["/audiosession", "/audiosession/profiles"] { mkdir(config + folder, 0o700) }
    try Data(text.utf8).write(to: file("\(config)/audiosession/profiles/\(name).toml"))
  }

  /// Writes a file into the sandbox's folder; its path.
  ///
  /// Another process does it: what this one opens for writing is open for a moment in the children
  /// that other tests start, and the system runs no program that somebody writes ("text file busy").
  func write(file name: String, _ text: String) async throws -> String {
    let path = "\(directory)/\(name)"
    try Data(text.utf8).write(to: file(path + ".new"))
    let result = try await capture(["cp", path + ".new", path])
    try #require(result.status == 0, "\(result)")
    return path
  }

  private func file(_ path: String) -> URL { URL(filePath: path) }
}

extension CommandResult {
  /// The same; the test fails if it says that a stream's frames disagreed with the clock.
  func withTrueRates() -> CommandResult {
    for text in [standardOutput, standardError] where text.contains("did") {
      // Text for people is wrapped.
      let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      if words.contains(wrongRateWords) { Issue.record("frames against the clock: \(text)") }
    }
    return self
  }
}

/// Profiles for the devices of `SandboxConfiguration.minimal`.
enum Profiles {
  static let podcast = """
    description = "A test"
    category = "record"
    [input]
    prefer = ["mic"]
    channel-map = "swap"
    gain = "80 %"
    """

  static let missing = """
    category = "record"
    [input]
    prefer = ["alsa_input.nowhere"]
    gain = "80 %"
    """
}

extension Trait where Self == ConditionTrait {
  /// Skips where a process may make no mounts and networks of its own, as in some containers.
  static var namespaces: Self {
    .enabled(
      if: system("unshare -m -n true 2> /dev/null") == 0, "needs root, and a kernel with namespaces"
    )
  }
}
