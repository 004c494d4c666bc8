import Glibc
import POSIX
import PulseTypes
import TestSupport
import Testing

@testable import PulseSandbox

/// Skips where the simulated cards are not built.
private let needsCard = ConditionTrait.enabled(
  if: SimulatedCard.modulePath() != nil && SimulatedCard.programPath() != nil,
  "needs the packages dpkg-dev and libpipewire-0.3-dev, and Tests/SimulatedCard/build")

private let kinds: [ServerKind] = [.pulseaudio, .pipewire]

@Suite("The other side of a server", needsServer, .timeLimit(.minutes(10)))
struct SimulateTests {
  private static let usbCard = "alsa_card.usb-Example_USB_Microphone-00"
  private static let usbInput = "alsa_input.usb-Example_USB_Microphone-00.analog-stereo"

  @Test("a device that is pulled out comes back as it was")
  func device() async throws {
    try await PulseSandbox.with(.nullDevices) { (sandbox) async throws in
      let before = try await sandbox.properties(of: "usb_mic")
      #expect(before.contains("device.bus = \"usb\""))
      for _ in 0..<2 {
        try await sandbox.unplug("usb_mic")
        try await sandbox.unplug("usb_mic")
        #expect(try await !sandbox.names(of: "sources").contains("usb_mic"))
        try await sandbox.plug("usb_mic")
        try await sandbox.plug("usb_mic")
        #expect(try await sandbox.names(of: "sources").filter { $0 == "usb_mic" }.count == 1)
        #expect(try await sandbox.properties(of: "usb_mic") == before)
      }
      #expect(!Folder.names(sandbox.directory).contains { $0.hasPrefix("cli") })
    }
  }

  @Test(
    "a card goes with its devices, and each of their names brings it back", needsCard,
    arguments: kinds)
  func card(on kind: ServerKind) async throws {
    try await PulseSandbox.with(.demo(on: kind)) { (sandbox) async throws in
      try await sandbox.unplug(Self.usbInput)
      try await sandbox.unplug(Self.usbInput)
      #expect(try await !sandbox.names(of: "cards").contains(Self.usbCard))
      #expect(try await !sandbox.names(of: "sources").contains(Self.usbInput))
      try await sandbox.plug(Self.usbCard)
      #expect(try await sandbox.names(of: "sources").contains(Self.usbInput))
    }
  }

  @Test("a jack is a port of a card", needsCard, arguments: kinds)
  func jack(on kind: ServerKind) async throws {
    try await PulseSandbox.with(.demo(on: kind)) { (sandbox) async throws in
      try await sandbox.plug("analog-output-headphones")
      #expect(try await sandbox.port("analog-output-headphones").contains(", available)"))
      try await sandbox.unplug("alsa_card.pci-0000_00_1f.3/analog-output-headphones")
      #expect(try await sandbox.port("analog-output-headphones").contains(", not available)"))
    }
  }

  @Test("devices are plugged in at once, and whether the task is cancelled or not")
  func together() async throws {
    try await PulseSandbox.with(.nullDevices) { (sandbox) async throws in
      let devices = ["usb_mic", "internal_mic"]
      for device in devices { try await sandbox.unplug(device) }
      async let one: Void = sandbox.plug(devices[0])
      async let other: Void = sandbox.plug(devices[1])
      _ = try await (one, other)
      #expect(try await sandbox.names(of: "sources").filter(devices.contains).count == 2)
      for delay in 0..<10 {
        try await sandbox.unplug("usb_mic")
        let attempt = Task { try await sandbox.plug("usb_mic") }
        try? await ContinuousClock().sleep(for: .milliseconds(delay))
        attempt.cancel()
        try await attempt.value
        #expect(try await sandbox.names(of: "sources").filter { $0 == "usb_mic" }.count == 1)
      }
      #expect(try await !sandbox.names(of: "modules").contains("module-cli-protocol-unix"))
    }
  }

  @Test("a device of a module returns on PipeWire, too", .pipewire)
  func module() async throws {
    let configuration = SandboxConfiguration(
      modules: ["module-null-sink media.class=Audio/Source/Virtual sink_name=mic"],
      server: .pipewire)
    try await PulseSandbox.with(configuration) { (sandbox) async throws in
      for _ in 0..<2 {
        try await sandbox.unplug("mic")
        #expect(try await !sandbox.names(of: "sources").contains("mic"))
        try await sandbox.plug("mic")
        #expect(try await sandbox.names(of: "sources").contains("mic"))
      }
    }
  }

  @Test("cancelling the task does not interrupt a restart")
  func cancelledRestart() async throws {
    try await PulseSandbox.with(.nullDevices) { (sandbox) async throws in
      let restart = Task { try await sandbox.restart() }
      restart.cancel()
      try await restart.value
      #expect(try await sandbox.names(of: "sinks").contains("speakers"))
    }
  }

  @Test("a restart has everything plugged in again")
  func restart() async throws {
    try await PulseSandbox.with(.nullDevices) { (sandbox) async throws in
      try await sandbox.unplug("usb_mic")
      try await sandbox.restart()
      #expect(try await sandbox.names(of: "sources").filter { $0 == "usb_mic" }.count == 1)
      try await sandbox.plug("usb_mic")
      #expect(try await sandbox.names(of: "sources").filter { $0 == "usb_mic" }.count == 1)
    }
  }

  @Test("a wrong name is an error that lists what there is")
  func wrongName() async throws {
    try await PulseSandbox.with(.minimal) { (sandbox) async throws in
      for attempt in [
        { try await sandbox.unplug("nowhere") }, { try await sandbox.plug("nowhere") },
        { try await sandbox.suspend("nowhere") }, { try await sandbox.suspend("speakers.monitor") },
        { try await sandbox.interrupt(on: "nowhere") },
        { try await sandbox.compete(for: .mute(device: "nowhere", true)) },
      ] as [() async throws -> Any] {
        let error = await #expect(throws: SandboxError.self) { _ = try await attempt() }
        #expect(error?.code == .noSuchDevice)
        #expect(error?.remedy?.contains("speakers") == true, "\(error?.description ?? "")")
      }
    }
  }

  @Test("a device in use is suspended, and goes on")
  func suspend() async throws {
    try await PulseSandbox.with(.minimal) { (sandbox) async throws in
      try await sandbox.interrupt()
      #expect(try await sandbox.state(of: "speakers") == "RUNNING")
      try await sandbox.suspend("speakers")
      #expect(try await sandbox.state(of: "speakers") == "SUSPENDED")
      try await sandbox.resume("speakers")
      #expect(try await sandbox.state(of: "speakers") == "RUNNING")
    }
  }

  @Test("a reset is a new server on the same address, also after a crash")
  func reset() async throws {
    try await PulseSandbox.with(.minimal) { (sandbox) async throws in
      let first = try #require(await sandbox.processID())
      try await sandbox.resetMediaServices()
      let second = try #require(await sandbox.processID())
      try await sandbox.kill()
      try await sandbox.resetMediaServices()
      #expect(await Set([first, second, sandbox.processID()]).count == 3)
      #expect(try await sandbox.names(of: "sinks") == ["speakers"])
    }
  }

  @Test("a frozen server takes no plug")
  func frozen() async throws {
    try await PulseSandbox.with(.minimal) { (sandbox) async throws in
      try await sandbox.freeze()
      let error = await #expect(throws: SandboxError.self) { try await sandbox.unplug("mic") }
      #expect(error?.code == .timedOut)
      try await sandbox.kill()
      let other = await #expect(throws: SandboxError.self) { try await sandbox.unplug("mic") }
      #expect(other?.code == .notRunning)
    }
  }
}

extension PulseSandbox {
  /// The lines of `pactl list` from a source's name on, its number and its use left out.
  func properties(of source: String) async throws -> [String] {
    let result = try await capture(["pactl", "list", "sources"])
    let blocks = result.standardOutput.split(separator: "Source #").map(String.init)
    let block = try #require(blocks.first { $0.contains("Name: \(source)\n") })
    return block.split(separator: "\n").map { String($0.drop(while: \.isWhitespace)) }
      .filter { $0.hasPrefix("device.") || $0.hasPrefix("Sample") || $0.hasPrefix("Channel") }
  }

  /// What `pactl list cards` says of a port.
  func port(_ name: String) async throws -> String {
    let result = try await capture(["pactl", "list", "cards"])
    let lines = result.standardOutput.split(separator: "\n").map(String.init)
    return try #require(lines.first { $0.contains("\(name): ") })
  }

  /// Whether a sink runs, is idle or suspended.
  func state(of sink: String) async throws -> String {
    let result = try await capture(["pactl", "list", "short", "sinks"])
    let line = try #require(
      result.standardOutput.split(separator: "\n").first { $0.contains("\t\(sink)\t") })
    return String(try #require(line.split(separator: "\t").last))
  }
}
