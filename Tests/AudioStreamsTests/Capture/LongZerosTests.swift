import AudioSession
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

/// Zeros amid sound that are too long for lost cycles, on PipeWire.
@Suite("Long zeros amid sound", .graphCards, .soundFiles, .timeLimit(.minutes(10)))
struct LongZerosTests {
  /// Records a microphone that has a tone, does something after three seconds, and looks at what was
  /// recorded and listed.
  ///
  /// - Parameters:
  ///   - rest: for how long it records after that; nil if it ends by itself.
  ///   - whole: the recording's duration; nil if it has none.
  private func record(
    standsStill: Bool = false, for rest: Duration? = .seconds(4), whole: Duration? = nil,
    _ act: @Sendable (Rig, AudioRecorder) async throws -> Void,
    then check: @Sendable (RecordingProgress, _ list: String?) -> Void
  ) async throws {
    let configuration = try #require(
      SandboxConfiguration.simulatedCards(["kind=usb-mic"], on: .pipewire))
    try await Rig.with(configuration, expectsWrongRate: standsStill) { rig in
      var mode = AudioMode(category: .record)
      mode.preferredInput = ["alsa_input.usb-*"]
      try await rig.session.setAudioMode(mode)
      let folder = TemporaryFolder()
      let recorder = AudioRecorder(session: rig.session)
      try await recorder.start(folder.path + "/a.wav", configuration: .init(duration: whole))
      try await wait(.seconds(3), recorder)
      #expect(await recorder.progress.highestPeak > 0.1)
      try await act(rig, recorder)
      if let rest { try await wait(rest, recorder) }
      let result = rest == nil ? try await recorder.finished() : try await recorder.stop()
      check(result, folder.text("a.wav.json"))
    }
  }

  /// Waits until a recording is longer by a time.
  private func wait(_ time: Duration, _ recorder: AudioRecorder) async throws {
    let end = await recorder.progress.duration + time
    try #require(
      await eventually(within: .seconds(60)) { await recorder.progress.duration > end })
  }

  /// They are listed two seconds after their end, or when the recording is stopped or has its length.
  @Test(
    "are listed where the hardware stood still: the server fills its time with zeros",
    arguments: [Duration.seconds(4), .milliseconds(500), nil])
  func standstill(rest: Duration?) async throws {
    let isListed = Shared(false)
    // Beside much load the server may deliver less than the whole time, which is missing then; and of
    // zeros with such a hole amid them it is not known where they began.
    for number in 1...6 where !isListed.value {
      noteTry(number, of: 6, after: number == 1 ? nil : "zeros that were not in one piece")
      // Shorter than the two seconds, and longer where the machine needs more time.
      let whole = Duration.milliseconds(4000 + 1500 * number)
      try await record(standsStill: true, for: rest, whole: rest == nil ? whole : nil) {
        rig, recorder in
        try await rig.sandbox.freeze(.simulatedCards)
        try await Task.sleep(for: .milliseconds(500))  // the length of the stop is what is tested
        try await rig.sandbox.thaw(.simulatedCards)
      } then: { progress, list in
        // What is not delivered at all is missing, and not zeros.
        let told = (progress.zeros.map(\.frames) + progress.missing.map(\.frames)).reduce(0, +)
        isListed.update { $0 = !progress.zeros.isEmpty && told > progress.sampleRate / 3 }
        if isListed.value { #expect(list == Sidecar.text(progress)) }
        #expect(isListed.value || number < 6, "\(progress.zeros), \(progress.missing)")
      }
    }
  }

  @Test(
    "are not where the server reported a mute, of the device or of the recording",
    arguments: ["set-source-mute @DEFAULT_SOURCE@", "set-source-output-mute ID"])
  func muted(_ request: String) async throws {
    let muted = Shared<Range<Int64>>(0..<0)
    try await record { rig, recorder in
      let begin = await recorder.progress.frames
      try await mute(request, for: .milliseconds(800), in: rig, recorder)
      let end = await recorder.progress.frames
      muted.update { $0 = begin..<end }
    } then: { progress, _ in
      // Much load can bring others, which are listed.
      let wrong = progress.zeros.filter {
        muted.value.overlaps($0.position..<$0.position + Int64($0.frames))
      }
      #expect(wrong.isEmpty && !muted.value.isEmpty, "\(wrong), \(muted.value)")
    }
  }

  /// Mutes until the recording has that for a time, then unmutes and waits until it has that, too.
  private func mute(
    _ request: String, for time: Duration, in rig: Rig, _ recorder: AudioRecorder
  ) async throws {
    for isMuted in [true, false] {
      let result = try await rig.sandbox.capture([
        "sh", "-c",
        "ID=$(pactl list short source-outputs | head -n 1 | cut -f 1); "
          + "pactl \(request.replacing("ID", with: "$ID")) \(isMuted ? 1 : 0)",
      ])
      try #require(result.status == 0, "\(result.standardError)")
      #expect(
        await eventually(within: .seconds(60)) {
          let peak = await recorder.progress.peak
          return isMuted ? peak == 0 : peak > 0.1
        })
      if isMuted { try await wait(time, recorder) }
    }
  }

  /// A mute of little more than the quarter of a second that counts as lost cycles: beside much load the
  /// server loses sound in nearly each second, and zeros with a hole amid them are not found.
  @Test("do not hold up a stop whose server is frozen")
  func frozenServer() async throws {
    try await record(standsStill: true, for: nil) { rig, recorder in
      var isUnjudged = false
      for number in 1...12 where !isUnjudged {
        noteTry(number, of: 12, after: number == 1 ? nil : "zeros with a hole amid them")
        try await mute(
          "set-source-output-mute ID", for: .milliseconds(300), in: rig, recorder)
        isUnjudged = await recorder.hasUnjudgedZeros
      }
      try #require(isUnjudged)
      try await rig.sandbox.freeze()
      let begin = ContinuousClock.now
      _ = try? await recorder.stop()
      let time = ContinuousClock.now - begin
      try await rig.sandbox.thaw()
      #expect(time < .seconds(8), "\(time)")
    } then: { _, _ in
    }
  }
}

extension AudioRecorder {
  fileprivate var hasUnjudgedZeros: Bool {
    get async { await capture.run?.pipeline.report.unjudged.isEmpty == false }
  }
}
