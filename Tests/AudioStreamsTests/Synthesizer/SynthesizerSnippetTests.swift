import AudioSession
import AudioStreams
import PulseSandbox
import TestSupport
import Testing

// Synthesizing: begin
/// Plays a chord, and a note one second after it.
func play(_ session: AudioSession) async throws {
  let synthesizer = Synthesizer(session: session)
  try await synthesizer.start()
  for pitch in [60, 64, 67] {
    try synthesizer.triggerNote(pitch: pitch)
  }
  // Exact to the sample; false if the queue is full.
  let second = UInt64(synthesizer.sampleRate ?? 0)
  let note = Note(
    pitch: 72, velocity: .accent, duration: .seconds(1))
  let isQueued = try synthesizer.schedule(
    note, at: synthesizer.position + second)
  try await Task.sleep(for: .seconds(2))
  try synthesizer.releaseNote(pitch: 60)
  await synthesizer.stop()  // fades out the notes that still sound
  print(isQueued, synthesizer.refusedEvents)
}
// end

@Suite("The synthesizer's example of the documentation", .timeLimit(.minutes(10)))
struct SynthesizerSnippetTests {
  @Test("is heard", .server)
  func runs() async throws {
    try await PulseSandbox.watched(SynthesizerTests.output) { sandbox in
      let session = AudioSession(server: sandbox.address)
      let listener = try await Listener.on("out.monitor", sandbox)
      // With its 256 frames a machine that is too busy loses sound; what is wrong is wrong each time.
      let isHeard = try await inOneOf(4) {
        listener.forget()
        try await play(session)
        let isOver = await eventually {
          listener.firstSound() != nil
            && listener.channel(0).suffix(441).allSatisfy { abs($0) < 1e-6 }
        }
        guard isOver, let start = listener.channel(0).firstIndex(where: { abs($0) > 1e-5 })
        else { return false }
        let sound = Array(listener.channel(0)[start...])
        // A fifth of a second at a time: in some of them nothing was late.
        func hears(_ pitch: Int, _ second: Int) -> Bool {
          (0..<4).contains { fifth in
            let part = Array(sound.dropFirst(44100 * second + 8820 * fifth).prefix(8820))
            return part.amplitude(of: Note(pitch: pitch).frequency, rate: 44100) > 0.08
          }
        }
        return [60, 64, 67, 72].map { hears($0, 0) } == [true, true, true, false]
          && [60, 64, 67, 72].map { hears($0, 1) } == [true, true, true, true]
      }
      await session.close()
      #expect(isHeard)
      await listener.close()
    }
  }

  private func inOneOf(_ attempts: Int, _ body: () async throws -> Bool) async rethrows -> Bool {
    for number in 1...attempts {
      noteTry(number, of: attempts)
      if try await body() { return true }
    }
    return false
  }
}
