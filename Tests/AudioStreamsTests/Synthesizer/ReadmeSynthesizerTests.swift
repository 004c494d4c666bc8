import AudioSession
import AudioStreams
import PulseSandbox
import Testing

// synthesizer example: begin
/// Plays a chord, and a note one second after it.
func play(_ session: AudioSession) async throws {
  let synthesizer = Synthesizer(session: session)
  try await synthesizer.start()
  for pitch in [60, 64, 67] {
    try synthesizer.triggerNote(pitch: pitch)
  }
  // Exact to the sample; false where the queue is full.
  let second = UInt64(synthesizer.sampleRate ?? 0)
  let note = Note(
    pitch: 72, velocity: .accent, duration: .seconds(1))
  let isQueued = try synthesizer.schedule(
    note, at: synthesizer.position + second)
  try await Task.sleep(for: .seconds(2))
  try synthesizer.releaseNote(pitch: 60)
  await synthesizer.stop()  // fades out what still sounds
  print(isQueued, synthesizer.refusedEvents)
}
// synthesizer example: end

@Suite("The synthesizer's example of README.md")
struct ReadmeSynthesizerTests {
  @Test("is heard", .server)
  func runs() async throws {
    try await PulseSandbox.with(SynthesizerTests.output) { sandbox in
      let session = AudioSession(server: sandbox.address)
      let listener = try await Listener.on("out.monitor", sandbox)
      try await play(session)
      await session.close()
      #expect(await eventually { listener.channel(0).suffix(441).allSatisfy { abs($0) < 1e-6 } })
      let sound = listener.channel(0)
      let start = try #require(sound.firstIndex { abs($0) > 1e-5 })
      func hears(_ pitch: Int, _ second: Int) -> Bool {
        let part = Array(sound[(start + 44100 * second + 4410)...].prefix(30000))
        return part.amplitude(of: Note(pitch: pitch).frequency, rate: 44100) > 0.05
      }
      #expect([60, 64, 67, 72].map { hears($0, 0) } == [true, true, true, false])
      #expect([60, 64, 67, 72].map { hears($0, 1) } == [true, true, true, true])
      await listener.close()
    }
  }

  @Test("is the code that is tested")
  func isTheSame() {
    let shown = ReadmeSnippet.shown(after: "synthesizer example")
    #expect(shown == ReadmeSnippet.tested(in: #filePath, "synthesizer example"))
  }
}
