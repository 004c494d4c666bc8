import Glibc
import Pulse
import PulseTypes
import TestSupport
import Testing

@testable import PulseSandbox

@Suite("A server of three processes", needsServer, .timeLimit(.minutes(10)))
struct PipeWireTests {
  @Test func withoutADeviceThereIsADummy() async throws {
    try await PulseSandbox.with(.empty(on: .pipewire)) { (sandbox) async throws in
      #expect(try await sandbox.names(of: "sinks") == ["auto_null"])
    }
  }

  @Test func devicesOutlivePipewirePulse() async throws {
    try await PulseSandbox.with(.minimal(on: .pipewire)) { (sandbox) async throws in
      let pipewire = await sandbox.processID(of: .pipewire)
      try await sandbox.kill(.pipewirePulse)
      #expect(await sandbox.processID() == nil)
      let nodes = try await sandbox.capture(["pw-cli", "ls", "Node"]).standardOutput
      #expect(nodes.contains("node.name = \"mic\""))
      try await sandbox.restart(.pipewirePulse)
      #expect(await sandbox.processID(of: .pipewire) == pipewire)
      #expect(try await sandbox.info("Default Source") == "mic")
    }
  }

  @Test func wireplumberGoesWithPipewireAndComesWithIt() async throws {
    try await PulseSandbox.with(.minimal(on: .pipewire)) { (sandbox) async throws in
      let manager = try #require(await sandbox.processID(of: .wireplumber))
      try await sandbox.kill(.pipewire)
      #expect(await eventually { !isAlive(manager) })
      #expect(try await sandbox.capture(["pactl", "info"]).status != 0)
      try await sandbox.restart(.pipewire)
      #expect(try await sandbox.names(of: "sources") == ["speakers.monitor", "mic"])
    }
  }

  @Test(arguments: ServerProcess.all(of: .pipewire))
  func eachCanBeFrozenAndThawed(process: ServerProcess) async throws {
    try await PulseSandbox.with(.minimal(on: .pipewire)) { (sandbox) async throws in
      try await sandbox.freeze(process)
      let number = try #require(await sandbox.processID(of: process))
      #expect(ServerLog(path: "/proc/\(number)/stat").text.contains(") T "))
      try await sandbox.thaw(process)
      #expect(try await sandbox.info("Default Source") == "mic")
    }
  }

  @Test(
    "cards have profiles, whose devices come and go; a plug moves the port; all is there again later",
    .enabled(if: SimulatedCard.programPath() != nil, "needs Tests/SimulatedCard/build"))
  func cards() async throws {
    let (card, output) = (
      "alsa_card.pci-0000_00_1f.3", "alsa_output.pci-0000_00_1f.3.analog-stereo"
    )
    try await PulseSandbox.with(.demo(on: .pipewire)) { (sandbox) async throws in
      #expect(sandbox.hasSimulatedCards && sandbox.notice == nil)
      #expect(try await sandbox.names(of: "sinks") == [output])
      _ = try await sandbox.capture(["pactl", "set-card-profile", card, "input:analog-stereo"])
      try await sandbox.settleCards()
      #expect(try await !sandbox.names(of: "sinks").contains(output))
      let profile = "output:analog-stereo+input:analog-stereo"
      _ = try await sandbox.capture(["pactl", "set-card-profile", card, profile])
      try await sandbox.settleCards()
      #expect(try await sandbox.names(of: "sinks").contains(output))
      try await sandbox.plug("analog-output-headphones")
      try await sandbox.settleCards()
      #expect(
        try await sandbox.capture(["pactl", "list", "sinks"]).standardOutput
          .contains("Active Port: analog-output-headphones"))
      let error = await #expect(throws: SandboxError.self) {
        try await sandbox.tell(card, "plug", "nowhere")
      }
      #expect(error?.code == .noSuchDevice)
      // On a busy machine the profile without outputs may be what was stored so far.
      try await sandbox.awaitStored(profile, in: "default-profile")
      try await sandbox.kill(.pipewire)
      try await sandbox.restart(.pipewire)
      #expect(try await sandbox.names(of: "cards").count == 2)
      // Perhaps PipeWire's dummy is still there.
      let isThere = try await eventually { try await sandbox.names(of: "sinks") == [output] }
      let sinks = try await sandbox.names(of: "sinks")
      #expect(isThere, "\(sinks)")
    }
  }

  @Test("cards that do not answer are asked until the deadline and no longer", .graphCards)
  func frozenCards() async throws {
    try await PulseSandbox.with(.demo(on: .pipewire)) { (sandbox) async throws in
      try await sandbox.freeze(.simulatedCards)
      let begin = ContinuousClock.now
      let error = await #expect(throws: SandboxError.self) {
        try await sandbox.askCards("settled", until: .now + .milliseconds(50))
      }
      #expect(error?.code == .timedOut)
      #expect(ContinuousClock.now - begin < PulseSandbox.patience)
    }
  }

  @Test("a server is not complete without a reading, however late the machine is")
  func lateMachine() async throws {
    try await PulseSandbox.with(.minimal(on: .pipewire)) { (sandbox) async throws in
      try await sandbox.kill(.wireplumber)
      let client = try await PulseClient.connect(to: sandbox.address, name: "test")
      #expect(
        try await eventually {
          try await sandbox.awaitSettled(client, until: .now, .now + .seconds(10))
            == "WirePlumber is not connected"
        })
      await client.close()
    }
  }

  @Test(
    "a server in which no WirePlumber chooses defaults is started once more",
    .enabled(if: ServerProgram.root == nil, "the scripts are outside of the other root"))
  func startedAgain() async throws {
    let folder = TemporaryFolder()
    func script(_ name: String, _ text: String) throws -> String {
      let path = folder.write("#!/bin/sh\n\(text)\n", to: name)
      try #require(chmod(path, 0o755) == 0)
      return path
    }
    var programs: [ServerProcess: String] = [:]
    for process in ServerProcess.all(of: .pipewire) {
      programs[process] = ServerProgram.path(of: process)
    }
    let (pipewire, manager) = (
      try #require(programs[.pipewire]), try #require(programs[.wireplumber])
    )
    let count = folder.path + "/count"
    programs[.pipewire] = try script("pipewire", "echo >> \(count); exec \(pipewire) \"$@\"")
    programs[.wireplumber] = try script(
      "wireplumber",
      "[ $(wc -l < \(count)) -gt 1 ] || exec sleep 600; exec \(manager) \"$@\"")
    let sandbox = try await PulseSandbox.start(
      .minimal(on: .pipewire), timeout: .seconds(40), programs: programs)
    #expect(try await sandbox.info("Default Source") == "mic")
    // They are printed, too.
    #expect(SandboxTries.numbers(at: sandbox.address) == [2, 3])
    await sandbox.close()
  }

  @Test func aFailingModuleIsNamed() async throws {
    let line = "module-null-source source_name=a"
    let modules = ["module-null-sink sink_name=a", line]
    let error = await #expect(throws: SandboxError.self) {
      try await PulseSandbox.start(SandboxConfiguration(modules: modules, server: .pipewire))
    }
    #expect(error?.code == .configuration)
    #expect(error?.message.contains("'\(line)'") == true, "\(error?.message ?? "")")
  }

  @Test func whatPipeWireDoesNotHaveIsRefused() async throws {
    var configuration = SandboxConfiguration.minimal(on: .pipewire)
    configuration.cookieRequired = true
    let error = await #expect(throws: SandboxError.self) {
      try await PulseSandbox.start(configuration)
    }
    #expect(error?.code == .configuration)
    #expect(error?.message.contains("'cookieRequired'") == true)
  }

  @Test func theErrorNamesThePackages() async throws {
    let error = await #expect(throws: SandboxError.self) {
      try await PulseSandbox.start(
        .empty(on: .pipewire), timeout: .seconds(1), programs: [.pipewire: "/usr/bin/pipewire"])
    }
    #expect(error?.code == .programMissing)
    #expect(error?.description.hasSuffix("apt-get install wireplumber pipewire-pulse") == true)
  }
}
