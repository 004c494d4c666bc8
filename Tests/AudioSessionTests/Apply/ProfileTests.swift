import AudioSession
import PulseSandbox
import SessionProfiles
import TestSupport
import Testing

@Suite("The built-in profiles", .timeLimit(.minutes(10)))
struct ProfileTests {
  static let names = [
    "podcast", "voice-chat", "high-quality-stereo", "speech-recognition", "measurement",
    "music-low-latency", "headset", "presentation",
  ]

  private func apply(_ name: String, _ configuration: SandboxConfiguration) async throws {
    let mode = try Profile.named(name, environment: [:]).mode
    try await Rig.with(configuration) { rig in
      let before = try await rig.listing()
      let report = try await rig.session.setAudioMode(mode, profile: name)
      #expect(report.state.profile == name)
      #expect(report.state.properties.values.allSatisfy { $0.verdict != .refused })
      #expect(try await rig.session.plan(for: mode).isEmpty)
      try await rig.session.revert()
      let after = try await rig.listing(expecting: before)
      #expect(after == before, "\(after.difference(from: before))")
    }
  }

  @Test("apply in the sandbox and revert", .simulatedCard, arguments: names)
  func demo(_ name: String) async throws { try await apply(name, .demo) }

  @Test(
    "apply on null devices and revert", .bothServers, arguments: names, Feature.devices.servers)
  func nullDevices(_ name: String, on kind: ServerKind) async throws {
    try await apply(name, .nullDevices(on: kind))
  }

  @Test(
    "apply with one null sink and one stereo null source", .bothServers, arguments: names,
    Feature.devices.servers)
  func minimal(_ name: String, on kind: ServerKind) async throws {
    try await apply(name, .minimal(on: kind))
  }
}
