import AudioSession
import Pulse
import PulseSandbox
import Testing

@Suite("Apply to a real server")
struct ApplyTests {
  @Test("a podcast on the USB microphone", .simulatedCard)
  func podcast() async throws {
    try await Rig.with { rig in
      var mode = AudioMode(category: .record)
      mode.sampleRate = 48000
      mode.ioBufferDuration = .milliseconds(10)
      mode.preferredInput = ["alsa_input.usb-*", .default]
      mode.channelMap = .swap
      mode.inputGain = Volume(fraction: 0.8)
      let plan = try await rig.session.plan(for: mode)
      for step in plan.steps {
        print(
          "PLAN", step.phase.rawValue, step.setting.object, step.setting.propertyName,
          step.from?.description ?? "-", "->", step.to, step.isDeferred)
      }
      let report = try await rig.session.setAudioMode(mode)
      for r in report.steps {
        print(
          "DONE", r.step.phase.rawValue, r.step.setting.object, r.step.setting.propertyName,
          r.step.to, r.outcome)
      }
      for (k, v) in report.state.properties.sorted(by: { $0.key < $1.key }) {
        print(k, v.verdict, v.actual as Any, v.reason ?? "")
      }
      let again = try await rig.session.plan(for: mode)
      #expect(again.steps.isEmpty)
      let back = try await rig.session.revert()
      for r in back.steps {
        print(
          "BACK", r.step.phase.rawValue, r.step.setting.object, r.step.setting.propertyName,
          r.step.to, r.outcome)
      }
    }
  }
}
