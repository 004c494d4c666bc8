import Glibc
import PulseSandbox
import Testing

/// `audiosession watch` in the background of a sandbox, until `end`, or the sandbox's end.
struct Watching {
  let sandbox: PulseSandbox
  private let process: Int32
  private let output: String

  /// Starts it, and waits until it has applied.
  static func start(
    _ sandbox: PulseSandbox, _ arguments: String, environment: String = ""
  ) async throws -> Watching {
    let output = "\(sandbox.directory)/watching-\(UInt32.random(in: 0...(.max)))"
    // Its status outlives the shell that started it.
    let result = try await sandbox.shell(
      """
      : > \(output)
      ( \(environment) $A watch \(arguments) > \(output) 2> \(output).err < /dev/null & echo $! > \(output).pid
        wait $!; echo $? > \(output).status ) > /dev/null 2>&1 < /dev/null &
      until grep -q applied \(output); do
        [ ! -s \(output).status ] || { cat \(output).err; exit 9; }
        pause
      done
      cat \(output).pid
      """)
    #expect(result.status == 0, "\(result)")
    let text = result.standardOutput.filter { $0.isNumber }
    return Watching(sandbox: sandbox, process: try #require(Int32(text)), output: output)
  }

  /// Whether it says something, now or within a while.
  func says(_ text: String) async throws -> Bool {
    let result = try await sandbox.shell(
      """
      for i in $(seq 1500); do
        grep -q '\(text)' \(output) && exit 0
        [ ! -s \(output).status ] || { cat \(output).err; exit 9; }
        pause
      done
      cat \(output) \(output).err; exit 1
      """)
    #expect(result.status == 0, "\(result.standardOutput)")
    return result.status == 0
  }

  /// What it has printed.
  func lines() async throws -> [String] {
    try await sandbox.shell("cat \(output)").standardOutput.split(separator: "\n").map(String.init)
  }

  /// How many files it may have open from now on; those that it has stay.
  func limitFiles(to number: Int) async throws {
    let result = try await sandbox.shell("prlimit --pid \(process) --nofile=\(number):1024")
    #expect(result.status == 0, "\(result)")
  }

  /// Ends it (SIGTERM), and gives its status.
  func end() async throws -> Int32 {
    kill(process, SIGTERM)
    let result = try await sandbox.shell(
      "until [ -s \(output).status ]; do pause; done; cat \(output).status")
    return Int32(result.standardOutput.filter { $0.isNumber }) ?? -1
  }
}
