import AudioSession
import PulseSandbox
import TestSupport
import Testing

@Suite("What a device without ports is", .timeLimit(.minutes(10)))
struct PortTypeTests {
  @Test(
    "an internal card's input without ports is no built-in microphone", .bothServers,
    arguments: Feature.cards.machines)
  func internalCard(_ machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      try await rig.setProfile("pro-audio")
      var mode = AudioMode(category: .record)
      mode.preferredInput = ["*.pro-input-0"]
      let input = try await rig.session.setAudioMode(mode).state.route.inputs.first
      #expect(input?.name.hasSuffix(".pro-input-0") == true)
      #expect(input?.portType == nil, "\(String(describing: input))")
    }
  }
}
