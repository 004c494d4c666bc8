import PulseTypes
import Testing

@testable import SessionCore

@Suite("What a session manager restores of streams that begin")
struct RestoreWatchTests {
  private let mute = Setting.othersMute(Index(7))

  private func server(_ kind: ServerKind, isMuted: Bool) -> ServerSnapshot {
    var snapshot = SimulatedServer.laptop(kind: kind).snapshot
    snapshot.sinkInputs = [
      Stream(
        direction: .output, index: Index(7), device: nil,
        sampleSpec: SampleSpec(format: .s16le, rate: 44100, channels: 2), channelMap: .stereo,
        isCorked: false, properties: [:])
    ]
    snapshot.sinkInputs[0].isMuted = isMuted
    return snapshot
  }

  private var baseline: Baseline {
    Baseline(entries: [.init(setting: mute, before: .flag(false), ours: .flag(true))])
  }

  @Test("a change of a new stream is one, once, and only soon; on PulseAudio there is none")
  func once() {
    var watch = RestoreWatch()
    let open = server(.pipewire, isMuted: false)
    #expect(watch.restored(in: open, beside: baseline, at: .zero) == [:])
    watch.note([mute, .mute(.output, device: "speakers")], at: .zero)
    let held = server(.pipewire, isMuted: true)
    #expect(watch.restored(in: held, beside: baseline, at: .seconds(1)) == [:])
    let other = server(.pulseaudio, isMuted: false)
    #expect(watch.restored(in: other, beside: baseline, at: .seconds(1)) == [:])
    #expect(watch.restored(in: open, beside: baseline, at: .seconds(2)) == [mute: .flag(false)])
    #expect(watch.restored(in: open, beside: baseline, at: .seconds(3)) == [:])
    // The session did not come to set it again.
    watch.takeBack([mute])
    #expect(watch.restored(in: open, beside: baseline, at: .seconds(3)) == [mute: .flag(false)])
    watch.note([mute], at: .seconds(10))
    #expect(watch.restored(in: open, beside: baseline, at: .seconds(15)) == [:])
  }
}
