import Glibc
import TestSupport
import Testing

@testable import PulseSandbox

@Suite("Commands in a sandbox", needsServer, .timeLimit(.minutes(10)))
struct SandboxCommandTests {
  @Test func runPassesOnTheExitStatus() async throws {
    try await PulseSandbox.with(.empty) { (sandbox) async throws in
      #expect(try await sandbox.run(["sh", "-c", "exit 7"]) == 7)
      #expect(try await sandbox.run(["sh", "-c", "kill -KILL $$"]) == 137)
    }
  }

  @Test func aCancelledRunTerminatesTheCommand() async throws {
    try await PulseSandbox.with(.empty) { (sandbox) async throws in
      let task = Task { try await sandbox.run(["sleep", "60"]) }
      task.cancel()
      #expect(try await task.value == 143)
    }
  }

  @Test func captureReadsBothStreamsWithoutBlocking() async throws {
    try await PulseSandbox.with(.empty) { (sandbox) async throws in
      let script = "head -c 300000 /dev/zero >&2; head -c 200000 /dev/zero; exit 3"
      let result = try await sandbox.capture(["sh", "-c", script])
      #expect(result.status == 3)
      #expect(result.standardOutput.utf8.count == 200_000)
      #expect(result.standardError.utf8.count == 300_000)
    }
  }

  @Test(arguments: ["sleep 60 & wait", "exec >/dev/null 2>&1; sleep 60"])
  func captureKillsTheGroupAtTheDeadline(script: String) async throws {
    try await PulseSandbox.with(.empty) { (sandbox) async throws in
      var processes: [Int32] = []
      var error: SandboxError?
      // A busy machine may need longer until the shell has written anything.
      for limit in [500, 2000, 10_000] where processes.isEmpty {
        noteTry(limit == 500 ? 1 : limit == 2000 ? 2 : 3, of: 3)
        error = await #expect(throws: SandboxError.self) {
          try await sandbox.capture(
            ["sh", "-c", "echo $$; " + script], timeout: .milliseconds(limit))
        }
        #expect(error?.code == .timedOut)
        // What it wrote until then.
        processes = (error?.message ?? "").split(whereSeparator: \.isNewline).compactMap {
          Int32($0)
        }
      }
      #expect(!processes.isEmpty, "\(error as Any)")
      #expect(await eventually { !processes.contains(where: isAlive) })
    }
  }

  @Test func aMissingCommandIsAnError() async throws {
    try await PulseSandbox.with(.empty) { (sandbox) async throws in
      for command in [["no-such-command"], ["/nonexistent/x"], []] {
        let error = await #expect(throws: SandboxError.self) { try await sandbox.run(command) }
        #expect(error?.code == .commandNotFound)
      }
      let error = await #expect(throws: SandboxError.self) {
        try await sandbox.run([sandbox.directory])
      }
      #expect(error?.message.contains("is no executable file") == true, "\(error as Any)")
    }
  }

  @Test func aCommandInheritsNothingElse() async throws {
    let descriptor = Glibc.open("/dev/null", O_RDONLY)  // without O_CLOEXEC
    defer { close(descriptor) }
    try await PulseSandbox.with(.empty) { (sandbox) async throws in
      let result = try await sandbox.capture(["ls", "/proc/self/fd"])
      // 3 is the folder that ls reads.
      #expect(result.standardOutput == "0\n1\n2\n3\n")
      let process = try #require(await sandbox.processID())
      let links = try await sandbox.capture(["sh", "-c", "readlink /proc/\(process)/fd/*"])
      #expect(links.standardOutput.split(separator: "\n").filter { $0 == "/dev/null" }.count == 1)
    }
  }
}
