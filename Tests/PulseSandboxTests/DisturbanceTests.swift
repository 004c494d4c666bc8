import Glibc
import TestSupport
import Testing

@testable import PulseSandbox

@Suite("Disturbances", needsServer, .timeLimit(.minutes(10)))
struct DisturbanceTests {
  @Test("a rival sets it again and again, and is listed by its name")
  func rival() async throws {
    try await PulseSandbox.with(.nullDevices) { (sandbox) async throws in
      let rival = try await sandbox.compete(for: .defaultInput("internal_mic"), as: "mixer")
      #expect(try await sandbox.info("Default Source") == "internal_mic")
      try await sandbox.until {
        try await sandbox.listing("clients").contains("application.name = \"mixer\"")
      }
      for _ in 0..<3 {
        try await sandbox.set("set-default-source", "usb_mic")
        try await sandbox.until { try await sandbox.info("Default Source") == "internal_mic" }
      }
      try await sandbox.restart()
      try await sandbox.until {
        try await sandbox.listing("clients").contains("application.name = \"mixer\"")
      }
      await rival.stop()
      try await sandbox.set("set-default-source", "usb_mic")
      // The server hears of a process's end a moment after it.
      try await sandbox.until { try await !sandbox.listing("clients").contains("mixer") }
      #expect(try await sandbox.info("Default Source") == "usb_mic")
    }
  }

  @Test(
    "a rival insists on any setting, and is quiet while it has it",
    arguments: [
      (ContestedSetting.volume(device: "speakers", percent: 30), "set-sink-volume speakers 80%"),
      (.mute(device: "internal_mic", true), "set-source-mute internal_mic 0"),
      (.defaultOutput("speakers"), "set-default-sink headphones"),
    ])
  func settings(_ setting: ContestedSetting, _ opposite: String) async throws {
    try await PulseSandbox.with(.nullDevices) { (sandbox) async throws in
      try await sandbox.compete(for: setting)
      let wanted = try await sandbox.settings()
      try await sandbox.set(opposite.split(separator: " ").map(String.init))
      try await sandbox.until { try await sandbox.settings() == wanted }
      // What it sets once more is no change to the server, or it would answer itself for ever.
      try await sandbox.until {
        let before = try await sandbox.newestClient()
        _ = try await sandbox.capture(["pactl", "list", "cards"])
        return try await sandbox.newestClient() == before + 2
      }
    }
  }

  @Test("a setting that cannot be had is an error")
  func refused() async throws {
    try await PulseSandbox.with(.minimal) { (sandbox) async throws in
      let error = await #expect(throws: SandboxError.self) {
        try await sandbox.compete(for: .port(device: "mic", "nowhere"))
      }
      #expect(error?.code == .refused)
      let unknown = await #expect(throws: SandboxError.self) {
        try await sandbox.compete(for: .defaultInput("nowhere"))
      }
      #expect(unknown?.code == .noSuchDevice)
      try await sandbox.until { try await !sandbox.listing("clients").contains("rival") }
    }
  }

  @Test("a call is a running stream with a role, of another process")
  func call() async throws {
    try await PulseSandbox.with(.minimal) { (sandbox) async throws in
      let call = try await sandbox.interrupt()
      let streams = try await sandbox.listing("sink-inputs")
      #expect(streams.contains("media.role = \"phone\"") && streams.contains("Corked: no"))
      let process = try await sandbox.callProcess()
      #expect(process != getpid() && isAlive(process))
      await call.stop()
      await call.stop()
      try await sandbox.until { !isAlive(process) }
      try await sandbox.until { try await sandbox.listing("sink-inputs").isEmpty }
    }
  }

  @Test("a call without a sink is refused at once")
  func noSink() async throws {
    try await PulseSandbox.with(.empty) { (sandbox) async throws in
      let error = await #expect(throws: SandboxError.self) { try await sandbox.interrupt() }
      #expect(error?.code == .refused, "\(error as Any)")
    }
  }

  @Test("all of them end with the sandbox")
  func endsWithTheSandbox() async throws {
    let sandbox = try await PulseSandbox.start(.minimal)
    try await sandbox.interrupt()
    let rival = try await sandbox.compete(for: .mute(device: "mic", true))
    let process = try await sandbox.callProcess()
    await sandbox.close()
    #expect(await eventually { !isAlive(process) && rival.hasStopped })
    let error = await #expect(throws: SandboxError.self) { try await sandbox.interrupt() }
    #expect(error?.code == .closed)
  }

  @Test("one that has not begun when the sandbox is closed says so")
  func closedMeanwhile() async throws {
    for delay: useconds_t in [0, 1, 3, 10] {
      let sandbox = try await PulseSandbox.start(.minimal)
      let rival = Task { try await sandbox.compete(for: .mute(device: "mic", true)) }
      usleep(1000 * delay)
      await sandbox.close()
      do { _ = try await rival.value } catch let error as SandboxError {
        #expect(error.code == .closed, "\(error)")
      }
    }
  }

  @Test("all of them end with a killed process")
  func endsWithAKilledProcess() async throws {
    let result = await #expect(
      processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]
    ) {
      let sandbox = try await PulseSandbox.start(.minimal)
      try await sandbox.interrupt()
      try await sandbox.compete(for: .mute(device: "mic", true))
      // The shells are children of this process.
      let children = try await sandbox.capture(["ps", "-o", "pid=", "--ppid", "\(getpid())"])
      print("@\(try await sandbox.callProcess())@\(children.standardOutput)@")
      fflush(nil)
      kill(getpid(), SIGKILL)
    }
    let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
    let numbers = output.split { !$0.isNumber }.compactMap { Int32($0) }
    #expect(numbers.count >= 4, "\(output)")
    #expect(await eventually { !numbers.contains(where: isAlive) })
  }
}

extension PulseSandbox {
  fileprivate func listing(_ kind: String) async throws -> String {
    try await capture(["pactl", "list", kind]).standardOutput
  }

  fileprivate func set(_ words: String...) async throws { try await set(words) }

  fileprivate func set(_ words: [String]) async throws {
    let result = try await capture(["pactl"] + words)
    try #require(result.status == 0, "\(result.standardError)")
  }

  /// The defaults, volumes and mutes.
  fileprivate func settings() async throws -> [String] {
    let text =
      try await capture(["pactl", "info"]).standardOutput
      + listing("sinks") + listing("sources")
    return text.split(separator: "\n").map(String.init)
      .filter { ["Default S", "Volume:", "Mute:", "Name:"].contains(where: $0.contains) }
  }

  /// The highest number of a client; each client gets the next.
  fileprivate func newestClient() async throws -> Int {
    let result = try await capture(["pactl", "list", "short", "clients"])
    let numbers = result.standardOutput.split(separator: "\n").compactMap {
      $0.split(separator: "\t").first.flatMap { Int($0) }
    }
    return try #require(numbers.max())
  }

  /// The process that plays the call.
  fileprivate func callProcess() async throws -> Int32 {
    let line = try #require(
      try await listing("sink-inputs").split(separator: "\n")
        .first { $0.contains("application.process.id") })
    return try #require(Int32(line.filter(\.isNumber)))
  }

  /// Waits for a condition of the server's; fails when it does not come true in time.
  fileprivate func until(_ condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(30)
    while try await !condition() {
      try #require(ContinuousClock.now < deadline, "it did not come true in time")
    }
  }
}
