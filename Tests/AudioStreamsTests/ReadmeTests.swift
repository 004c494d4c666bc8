import AudioSession
import AudioStreams
import PulseSandbox
import Testing

// capture example: begin
func listen(to session: AudioSession) async throws {
  let mode = AudioMode(category: .record)
  try await session.setAudioMode(mode)
  let capture = AudioCapture(session: session)
  for await buffer in try await capture.startAudioStream() {
    print(buffer.streamTime, buffer.rms, buffer.lostFrames)
  }
}
// capture example: end

// recorder example: begin
func record(
  _ session: AudioSession, into path: String,
  until isOver: () async -> Void
) async throws {
  let recorder = AudioRecorder(session: session)
  try await recorder.start(path)
  await isOver()
  let recording = try await recorder.stop()
  print(recording.duration, recording.missing)
}
// recorder example: end

@Suite("The examples of README.md about sound", .server, .timeLimit(.minutes(1)))
struct ReadmeTests {
  @Test("are the code that is tested", arguments: ["capture example", "recorder example"])
  func isTheSame(mark: String) {
    let tested = ReadmeSnippet.tested(in: #filePath, mark)
    #expect(tested.count > 8)
    #expect(ReadmeSnippet.shown(after: mark) == tested)
  }

  @Test("listen until the session closes")
  func listens() async throws {
    try await Rig.with(.sources) { rig in
      async let listening: Void = listen(to: rig.session)
      #expect(
        await eventually {
          (try? await rig.session.snapshot().sourceOutputs.contains { !$0.isCorked }) == true
        })
      await rig.session.close()
      try await listening
    }
  }

  @Test("record into a file", .soundFiles)
  func records() async throws {
    try await Rig.with(.sources) { rig in
      let folder = Folder()
      try await record(rig.session, into: folder.path + "/talk.flac") {
        _ = await eventually { folder.text("talk.flac")?.isEmpty == false }
      }
      #expect(folder.text("talk.flac")?.isEmpty == false)
    }
  }
}
