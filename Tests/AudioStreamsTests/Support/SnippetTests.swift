import AudioSession
import AudioStreams
import Dispatch
import Glibc
import PulseSandbox
import TestSupport
import Testing

// Capturing: begin
func listen(to session: AudioSession) async throws {
  let mode = AudioMode(category: .record)
  try await session.setAudioMode(mode)
  let capture = AudioCapture(session: session)
  for await buffer in try await capture.start() {
    print(buffer.streamTime, buffer.rms, buffer.lostFrames)
  }
}
// end

// Recording: begin
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
// end

// Ctrl-C: begin
/// Waits for Ctrl-C, which does not end the program any more.
func interruption() async {
  signal(SIGINT, SIG_IGN)
  let source = DispatchSource.makeSignalSource(signal: SIGINT)
  await withCheckedContinuation { continuation in
    source.setEventHandler {
      source.cancel()
      continuation.resume()
    }
    source.activate()
  }
}
// end

// Voice assistant: begin
/// Hands 16 kHz mono speech to a recogniser, 64 ms at a time.
func transcribe(
  _ session: AudioSession, with recognize: ([Float]) async -> Void
) async throws {
  var mode = AudioMode(category: .record)
  mode.preferredInput = [.portType(.headsetMic), .formFactor("microphone"), .default]
  mode.inputRequired = false
  try await session.setAudioMode(mode)
  let capture = AudioCapture(session: session)
  let configuration = CaptureConfiguration(frameLength: 1024)
  for await buffer in try await capture.start(configuration) {
    // A gap in the sound: an unplugged device, or a recogniser that is too slow.
    if buffer.lostFrames > 0 { print("missing:", buffer.missing) }
    await recognize(buffer.samples)
  }
}
// end

// Ducking: begin
/// Lowers other programs while the assistant speaks.
func speak(_ session: AudioSession, _ play: () async throws -> Void) async throws {
  try await session.update { $0.options = [.duckOthers] }
  let result: Result<Void, any Error>
  do { result = .success(try await play()) } catch { result = .failure(error) }
  // In a task of its own: this one may be cancelled.
  try await Task { _ = try await session.update { $0.options = nil } }.value
  try result.get()
}
// end

// Call: begin
/// Sends what the microphone captures, 20 ms at a time, until the session ends.
func runCall(
  _ session: AudioSession, send: ([Int16]) async -> Void
) async throws {
  var mode = AudioMode(category: .playAndRecord, mode: .voiceChat, options: [.allowBluetoothHFP])
  mode.ioBufferDuration = .milliseconds(20)
  try await session.setAudioMode(mode)
  let capture = AudioCapture(session: session)
  let configuration = CaptureConfiguration(sampleRate: 48000, frameLength: 960)
  for await buffer in try await capture.start(configuration) {
    await send(buffer.int16Samples)
  }
}
// end

/// What the pages of the documentation show; `ArticleTests` compares them.
@Suite("The examples of the documentation about sound", .server, .timeLimit(.minutes(10)))
struct SnippetTests {
  @Test("capture until the session closes")
  func listens() async throws {
    try await Rig.with(.sources) { rig in
      async let listening: Void = listen(to: rig.session)
      #expect(await rig.isRecorded())
      await rig.session.close()
      try await listening
    }
  }

  @Test("record into a file", .soundFiles)
  func records() async throws {
    try await Rig.with(.sources) { rig in
      let folder = TemporaryFolder()
      try await record(rig.session, into: folder.path + "/talk.flac") {
        _ = await eventually { folder.text("talk.flac")?.isEmpty == false }
      }
      #expect(folder.text("talk.flac")?.isEmpty == false)
    }
  }

  @Test("Ctrl-C ends what waits for it")
  func interrupts() async {
    // Before and after it waits, too: the signal is for all of this process.
    signal(SIGINT, SIG_IGN)
    let isOver = Shared(false)
    async let waiting: Void = {
      await interruption()
      isOver.value = true
    }()
    #expect(
      await eventually {
        kill(getpid(), SIGINT)
        return isOver.value
      })
    await waiting
  }

  @Test("hand speech to a recogniser, and lower others while it answers")
  func assists() async throws {
    try await Rig.with(.nullDevices) { rig in
      var heard: [Int] = []
      var spoken: StateValue?
      try await transcribe(rig.session) { samples in
        heard.append(samples.count)
        guard heard.count == 2 else { return }
        try? await speak(rig.session) {
          spoken = try await rig.session.getSessionState().properties[.options]?.preferred
        }
        await rig.session.close()
      }
      #expect(heard.prefix(2) == [1024, 1024])
      #expect(spoken == .strings(["duck-others"]))
    }
  }

  @Test("send a call's sound through the echo canceller")
  func calls() async throws {
    try await Rig.with(.nullDevices) { rig in
      var sent = 0
      try await runCall(rig.session) { samples in
        #expect(samples.count == 960)
        sent += 1
        guard sent == 2 else { return }
        let state = try? await rig.session.getSessionState()
        #expect(state?.properties[.mode]?.verdict == .applied)
        await rig.session.close()
      }
      #expect(sent >= 2)
    }
  }
}

extension Rig {
  /// Whether a stream records on the rig's server, now or soon.
  fileprivate func isRecorded() async -> Bool {
    await eventually {
      (try? await session.snapshot().sourceOutputs.contains { !$0.isCorked }) == true
    }
  }
}
