import Glibc
import POSIX
import PulseTypes
import TestSupport
import Testing

@testable import PulseSandbox

@Suite("A server's faults", needsServer, .timeLimit(.minutes(10)))
struct FaultTests {
  @Test(arguments: bothServers)
  func killLeavesAStaleSocketAndRestartTakesItOver(kind: ServerKind) async throws {
    try await PulseSandbox.with(.minimal(on: kind)) { (sandbox) async throws in
      let first = try #require(await sandbox.processID())
      try await sandbox.kill()
      #expect(await sandbox.processID() == nil)
      #expect(File.exists(sandbox.folder.socket) && !acceptsConnections(sandbox.folder.socket))
      #expect(try await sandbox.capture(["pactl", "info"]).status != 0)
      let error = await #expect(throws: SandboxError.self) { try await sandbox.freeze() }
      #expect(error?.code == .notRunning)

      try await sandbox.restart()
      #expect(await sandbox.processID() != first)
      #expect(try await sandbox.names(of: "sinks") == ["speakers"])
    }
  }

  @Test(arguments: bothServers)
  func terminateRemovesTheSocket(kind: ServerKind) async throws {
    try await PulseSandbox.with(.minimal(on: kind)) { (sandbox) async throws in
      try await sandbox.terminate()
      #expect(!File.exists(sandbox.folder.socket) && File.exists(sandbox.directory))
      try await sandbox.restart()
      #expect(try await sandbox.info("Default Sink") == "speakers")
    }
  }

  @Test(arguments: bothServers)
  func restartOfARunningServerReplacesIt(kind: ServerKind) async throws {
    try await PulseSandbox.with(.empty(on: kind)) { (sandbox) async throws in
      let first = try #require(await sandbox.processID())
      try await sandbox.freeze()
      try await sandbox.restart()
      #expect(!isAlive(first))
      let name = kind == .pulseaudio ? "pulseaudio" : "PulseAudio (on PipeWire"
      #expect(try await sandbox.info("Server Name")?.hasPrefix(name) == true)
    }
  }

  @Test func whatAClientWasRefusedEarlierIsNoFailureOfARestart() async throws {
    try await PulseSandbox.with(.nullDevices) { (sandbox) async throws in
      let refused = try await sandbox.capture(["pactl", "load-module", "module-null-sink", "no=1"])
      #expect(refused.status != 0 && sandbox.log().contains("module-null-sink"))
      try await sandbox.restart()
      #expect(try await sandbox.names(of: "sinks") == ["speakers", "headphones"])
    }
  }

  @Test(arguments: bothServers)
  func aFrozenServerAnswersOnceItIsThawed(kind: ServerKind) async throws {
    try await PulseSandbox.with(.minimal(on: kind)) { (sandbox) async throws in
      try await sandbox.freeze()
      let error = await #expect(throws: SandboxError.self) {
        try await sandbox.capture(["pactl", "info"], timeout: .milliseconds(200))
      }
      #expect(error?.code == .timedOut)
      #expect(await sandbox.processID() != nil)
      try await sandbox.thaw()
      #expect(try await sandbox.info("Default Sink") == "speakers")
    }
  }

  @Test func theServerEndsWithoutItsSupervisor() async throws {
    let sandbox = try await PulseSandbox.start(.minimal)
    let process = try #require(await sandbox.processID())
    // "PID (NAME) STATE PARENT …"
    let fields = ServerLog(path: "/proc/\(process)/stat").text.split(separator: " ")
    let supervisor = try #require(Int32(fields[3]))
    #expect(Glibc.kill(supervisor, SIGKILL) == 0)
    await sandbox.close()
    #expect(!File.exists(sandbox.directory))
    // Nobody waits for a server without its supervisor: its files close a moment before it is gone.
    #expect(await eventually { !isAlive(process) })
  }

  @Test func aFailingModuleIsNamed() async throws {
    let bad = #"module-null-sink sink_name=b sink_properties="device.description=\"x y\"""#
    for line in ["module-no-such-thing a=b", bad, "module-null-sink sink_name=b bogus=1"] {
      let modules = ["module-null-sink sink_name=a", line, "module-null-sink sink_name=c"]
      let error = await #expect(throws: SandboxError.self) {
        try await PulseSandbox.start(SandboxConfiguration(modules: modules))
      }
      #expect(error?.code == .configuration)
      #expect(error?.message.contains("'\(line)'") == true, "\(error?.message ?? "")")
    }
  }

  @Test func aFailingCommandIsReported() async throws {
    var configuration = SandboxConfiguration.minimal
    configuration.commands = ["set-default-source nowhere"]
    let error = await #expect(throws: SandboxError.self) {
      try await PulseSandbox.start(configuration)
    }
    #expect(error?.code == .configuration)
    #expect(error?.message.contains("Source nowhere does not exist") == true)
  }

  @Test func aServerThatEndsAtItsStartIsReportedAtOnce() async throws {
    let begin = ContinuousClock.now
    let error = await #expect(throws: SandboxError.self) {
      try await PulseSandbox.start(
        .empty, timeout: .seconds(60), programs: [.pulseaudio: "/bin/false"])
    }
    #expect(error?.code == .serverDied)
    #expect(ContinuousClock.now - begin < .seconds(30))
  }

  @Test func aServerThatIsNotReadyInTimeIsEnded() async throws {
    let error = await #expect(throws: SandboxError.self) {
      try await PulseSandbox.start(.empty, timeout: .milliseconds(1))
    }
    #expect(error?.code == .timedOut)
  }
}

@Suite("A machine without a server", .timeLimit(.minutes(10)))
struct MissingProgramTests {
  @Test func theErrorNamesThePackage() async throws {
    let error = await #expect(throws: SandboxError.self) {
      try await PulseSandbox.start(.empty, timeout: .seconds(1), programs: [:])
    }
    #expect(error?.code == .programMissing)
    #expect(error?.description.contains("apt-get install pulseaudio") == true)
  }

  @Test func programsAreFoundInThePathOrInTheSystemsFolders() {
    #expect(ServerProgram.find("sh", path: "/nonexistent:/bin") == "/bin/sh")
    #expect(ServerProgram.find("env", path: nil) == "/usr/bin/env")
    #expect(ServerProgram.find("no-such-program", path: "/bin") == nil)
    #expect(File.program("bin", path: "/usr") == nil, "a folder is no program")
  }
}
