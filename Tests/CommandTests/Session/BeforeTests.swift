import PulseSandbox
import PulseTypes
import TestSupport
import Testing

/// What was before the session, restored by other processes than the one that changed it: each of them knows
/// of it by the store alone.
@Suite("What was before, between processes", .bothServers, .timeLimit(.minutes(10)))
struct BeforeTests {
  private static let servers = [ServerKind.pulseaudio, .pipewire]
  private static let card = "alsa_card.usb-Example_USB_Microphone-00"
  private static let input = "alsa_input.usb-Example_USB_Microphone-00.analog-stereo"
  private static let laptop = "alsa_input.pci-0000_00_1f.3.analog-stereo"
  private static let kept =
    "\(card) is unplugged: its gain is restored when it returns, or by 'revert' then"
  private static let removed =
    "\(input) is not there while \(card) has the profile off: the device's gain is restored when "
    + "it returns, or by 'revert' then"

  /// A server whose default input is the USB microphone, which another program has set to 30 %.
  private static func with(
    _ kind: ServerKind, _ body: (PulseSandbox) async throws -> Void
  ) async throws {
    try await PulseSandbox.with(.demo(on: kind)) { sandbox in
      let ready = try await sandbox.shell(
        """
        pactl set-default-source \(input)
        until [ "$(pactl get-default-source)" = \(input) ]; do pause; done
        until pactl get-source-volume \(input) | grep -q ' 30%'; do
          pactl set-source-volume \(input) 30%
          pause
        done
        """)
      try #require(ready.status == 0, "\(ready)")
      try await body(sandbox)
    }
  }

  /// Gives the microphone 80 %, and pulls it out; a process that holds sees that before it ends.
  private func changeAndUnplug(_ sandbox: PulseSandbox, isHeld: Bool) async throws {
    try sandbox.write(
      profile: "test", "[input]\nprefer = [\"\(Self.input)\"]\ngain = \"80 %\"\n")
    guard isHeld else {
      let applied = try await sandbox.audiosession("apply", "test")
      try #require(applied.status == 0, "\(applied)")
      return try await unplug(sandbox)
    }
    let watching = try await Watching.start(sandbox, "test --json")
    try await unplug(sandbox)
    #expect(try await watching.says("\"routeChanged\".*\(Self.laptop)"))
    #expect(try await watching.end() == 143)
  }

  private func unplug(_ sandbox: PulseSandbox) async throws {
    let unplugged = try await sandbox.audiosession("sandbox", "simulate", "unplug", Self.card)
    try #require(unplugged.status == 0, "\(unplugged)")
  }

  /// Plugs it in, and waits until the server has given it the level that it had last.
  private func plug(_ sandbox: PulseSandbox) async throws {
    let plugged = try await sandbox.audiosession("sandbox", "simulate", "plug", Self.card)
    try #require(plugged.status == 0, "\(plugged)")
    // WirePlumber does it a moment after it shows the device.
    #expect(try await isAt(80, sandbox))
    try await sandbox.settleCards()
  }

  /// Chooses the profile of the microphone's card, and waits until it has so many devices.
  private func choose(_ profile: String, for count: Int, _ sandbox: PulseSandbox) async throws {
    let chosen = try await sandbox.shell(
      """
      pactl set-card-profile \(Self.card) \(profile)
      until [ "$(pactl list short sources | grep -c \(Self.input))" = \(count) ]; do pause; done
      """)
    try #require(chosen.status == 0, "\(chosen)")
  }

  /// Whether the microphone has a gain, now or within a while.
  private func isAt(_ percent: Int, _ sandbox: PulseSandbox) async throws -> Bool {
    try await eventually {
      let volume = try await sandbox.capture(
        ["pactl", "get-source-volume", Self.input], timeout: .seconds(30))
      return volume.standardOutput.contains(" \(percent)%")
    }
  }

  private func revert(
    _ sandbox: PulseSandbox, _ options: String = ""
  ) async throws -> JSONValue {
    let result = try await sandbox.shell("$A revert --json \(options)")
    #expect(result.status == 0, "\(result)")
    return try JSONValue(result.standardOutput)
  }

  @Test(
    "the gain of an unplugged device is kept, and restored by the next revert",
    arguments: servers, [true, false])
  func unplugged(_ kind: ServerKind, isHeld: Bool) async throws {
    try await Self.with(kind) { sandbox in
      try await changeAndUnplug(sandbox, isHeld: isHeld)
      let first = try await revert(sandbox)
      let left = first["left"]?.array ?? []
      #expect(left.contains(.string(Self.kept)), "\(first)")
      try await plug(sandbox)
      let second = try await revert(sandbox)
      let steps = second["steps"]?.array ?? []
      #expect(steps.contains { $0["name"] == .string("inputGain") }, "\(second)")
      #expect(try await isAt(30, sandbox))
      let third = try await revert(sandbox)
      #expect(third["steps"] == .array([]) && third["left"] == .array([]), "\(third)")
    }
  }

  @Test(
    "that of a device which another profile of its card has removed is kept, too",
    arguments: servers)
  func otherProfile(_ kind: ServerKind) async throws {
    try await Self.with(kind) { sandbox in
      try sandbox.write(
        profile: "test", "[input]\nprefer = [\"\(Self.input)\"]\ngain = \"80 %\"\n")
      let applied = try await sandbox.audiosession("apply", "test")
      try #require(applied.status == 0, "\(applied)")
      try await choose("off", for: 0, sandbox)
      let first = try await revert(sandbox)
      let left = first["left"]?.array ?? []
      #expect(left.contains(.string(Self.removed)), "\(first)")
      try await choose("input:analog-stereo", for: 1, sandbox)
      #expect(try await isAt(80, sandbox))
      try await sandbox.settleCards()
      let second = try await revert(sandbox)
      let steps = second["steps"]?.array ?? []
      #expect(steps.contains { $0["name"] == .string("inputGain") }, "\(second)")
      #expect(try await isAt(30, sandbox))
      let third = try await revert(sandbox)
      #expect(third["steps"] == .array([]) && third["left"] == .array([]), "\(third)")
    }
  }

  @Test("revert --forget ends that", arguments: servers, [true, false])
  func forgotten(_ kind: ServerKind, isHeld: Bool) async throws {
    try await Self.with(kind) { sandbox in
      try await changeAndUnplug(sandbox, isHeld: isHeld)
      let first = try await sandbox.audiosession("revert")
      #expect(first.status == 0 && first.standardOutput.contains(Self.kept), "\(first)")
      let forgotten = try await revert(sandbox, "--forget")
      let left: JSONValue = .array([.string("forgotten: gain of \(Self.input)")])
      #expect(forgotten["left"] == left, "\(forgotten)")
      try await plug(sandbox)
      let second = try await sandbox.audiosession("revert")
      #expect(second.status == 0 && second.standardOutput == "nothing to restore\n", "\(second)")
      #expect(try await isAt(80, sandbox))
    }
  }

  @Test(
    "a holder that resumes without a mode restores what the other one could not",
    arguments: servers)
  func leftByAnother(_ kind: ServerKind) async throws {
    try await Self.with(kind) { sandbox in
      try sandbox.write(
        profile: "test", "[input]\nprefer = [\"\(Self.input)\"]\ngain = \"80 %\"\n")
      let service = try await Watching.start(sandbox, "test --json")
      _ = try await revert(sandbox)
      #expect(try await isAt(30, sandbox))
      let other = try await Watching.start(sandbox, "test --replace --revert --json")
      #expect(try await service.says("interruptionBegan"))
      #expect(try await isAt(80, sandbox))
      try await unplug(sandbox)
      #expect(try await other.says("\"routeChanged\".*\(Self.laptop)"))
      #expect(try await other.end() == 143)
      #expect(try await service.says("interruptionEnded"))
      let plugged = try await sandbox.audiosession("sandbox", "simulate", "plug", Self.card)
      #expect(plugged.status == 0, "\(plugged)")
      #expect(try await isAt(30, sandbox))
      #expect(try await service.end() == 143)
    }
  }

  @Test(
    "a rival's values are not restored, though the holder had nothing to do at first",
    arguments: servers)
  func rival(_ kind: ServerKind) async throws {
    try await Self.with(kind) { sandbox in
      try sandbox.write(
        profile: "test",
        """
        [input]
        prefer = ["\(Self.input)", "\(Self.laptop)"]
        gain = "30 %"
        gain-lock = true
        """)
      let plan = try await sandbox.audiosession("plan", "test")
      #expect(plan.standardOutput == "nothing to do\n", "\(plan)")
      let watching = try await Watching.start(sandbox, "test --json")
      // One after the other: PipeWire acknowledges first, and the second might come after the revert.
      try await change(sandbox, "set-default-source \(Self.laptop)")
      #expect(try await watching.says("\"drift\".*preferredInput"))
      let isDefault = try await eventually { try await defaultSource(sandbox) == Self.input }
      #expect(isDefault)
      try await change(sandbox, "set-source-volume \(Self.input) 100%")
      #expect(try await watching.says("\"drift\".*inputGain"))
      #expect(try await isAt(30, sandbox))
      #expect(try await watching.end() == 143)
      let reverted = try await revert(sandbox)
      #expect(reverted["steps"] == .array([]) && reverted["left"] == .array([]), "\(reverted)")
      #expect(try await defaultSource(sandbox) == Self.input)
      #expect(try await isAt(30, sandbox))
    }
  }

  /// Changes something as another program.
  private func change(_ sandbox: PulseSandbox, _ command: String) async throws {
    let result = try await sandbox.shell("pactl \(command)")
    try #require(result.status == 0, "\(result)")
  }

  private func defaultSource(_ sandbox: PulseSandbox) async throws -> String {
    let result = try await sandbox.shell("pactl get-default-source")
    return result.standardOutput.split(separator: "\n").first.map(String.init) ?? ""
  }
}
