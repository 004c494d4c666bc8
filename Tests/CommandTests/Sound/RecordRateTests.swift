import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

/// A recording by the command while another process holds a mode's rate: whichever rate the device and the
/// file have, a second is a second, and a tone has its frequency.
@Suite("record under a held rate", .bothServers, .soundFiles, .timeLimit(.minutes(10)))
struct RecordRateTests {
  private static let rates = [16000, 44100, 48000, 96000]
  private static let microphone = "alsa_input.usb-Example_USB_Microphone-00.analog-stereo"
  private static let speakers = "alsa_output.pci-0000_00_1f.3.analog-stereo"

  /// Channel n of the simulated microphone has n + 1 times 440 Hz. PulseAudio gives a device no rate below its
  /// own two, so there it has this one from the start.
  @Test(
    "three seconds of the microphone are three seconds of its tones",
    arguments: [ServerKind.pulseaudio, .pipewire], rates)
  func ofTheMicrophone(on kind: ServerKind, _ rate: Int) async throws {
    let card = kind == .pipewire ? "kind=usb-mic" : "kind=usb-mic rates=\(rate)"
    let cards = try #require(SandboxConfiguration.simulatedCards([card], on: kind))
    try await PulseSandbox.with(cards) { sandbox in
      try sandbox.write(
        profile: "rate",
        """
        category = "record"
        sample-rate = \(rate)
        [input]
        prefer = ["\(Self.microphone)"]
        """)
      let watching = try await Watching.start(sandbox, "rate")
      try await record(sandbox, at: rate, of: Self.microphone, hearing: [440, 880])
      #expect(try await watching.end() == 143)
    }
  }

  @Test(
    "so are three seconds of the output's monitor, of what tone plays on PipeWire", arguments: rates
  )
  func ofTheMonitor(_ rate: Int) async throws {
    let cards = try #require(SandboxConfiguration.simulatedCards(["kind=laptop"], on: .pipewire))
    try await PulseSandbox.with(cards) { sandbox in
      // A monitor of these cards has the volume of its output.
      try sandbox.write(
        profile: "rate",
        """
        category = "playback"
        sample-rate = \(rate)
        [output]
        prefer = ["\(Self.speakers)"]
        volume = "100 %"
        """)
      let watching = try await Watching.start(sandbox, "rate")
      let playing = try await sandbox.shell(
        """
        cd \(sandbox.directory)
        $A tone --sweep 440 --level -12 --duration 120s > tone.out 2> tone.err < /dev/null &
        echo $! > tone.pid
        until pactl list sink-inputs | grep -q 'media.name = "Test tone"'; do
          kill -0 $(cat tone.pid) || { cat tone.err; exit 9; }
          pause
        done
        """)
      try #require(playing.status == 0, "\(playing)")
      try await record(
        sandbox, "--device \(Self.speakers).monitor", at: rate, of: Self.speakers,
        hearing: [440, 440])
      let ended = try await sandbox.shell("kill $(cat \(sandbox.directory)/tone.pid)")
      #expect(ended.status == 0, "\(ended)")
      #expect(try await watching.end() == 143)
    }
  }

  /// What a recording came to, as the command says it.
  private struct Said {
    let rate: Double
    let frames: Double
    /// Seconds that are silence in the file because nothing was there.
    let missing: Double

    init(_ json: JSONValue) throws {
      guard case .number(let rate)? = json["sampleRate"], case .number(let frames)? = json["frames"]
      else { throw NoResult(text: "\(json)") }
      self.rate = rate
      self.frames = frames
      missing = (json["missing"]?.array ?? []).reduce(0) { sum, gap in
        guard case .number(let frames)? = gap["frames"] else { return sum }
        return sum + frames / rate
      }
    }
  }

  private struct NoResult: Error { let text: String }

  /// Records three seconds, and again where a busy machine was late or lost sound.
  ///
  /// - Parameters:
  ///   - rate: what the device must have meanwhile.
  ///   - tones: the frequency that must be heard in each channel.
  private func record(
    _ sandbox: PulseSandbox, _ arguments: String = "", at rate: Int, of device: String,
    hearing tones: [Double]
  ) async throws {
    let path = sandbox.directory + "/a.wav"
    var faults: [String] = []
    while faults.count < 5 {
      noteTry(faults.count + 1, of: 5, after: faults.last)
      let start = ContinuousClock.now
      let result = try await sandbox.shell(
        """
        $A record \(path) --force --duration 3s --json \(arguments) > \(path).out & pid=$!
        shown=no
        while kill -0 $pid 2> /dev/null; do
          { pactl list short sinks; pactl list short sources; } |
            grep -q '\(device).* \(rate)Hz' && shown=yes && break
          pause
        done
        wait $pid; code=$?
        echo $shown; cat \(path).out
        exit $code
        """)
      let elapsed = ContinuousClock.now - start
      try #require(result.status == 0, "\(result)")
      let answer = result.standardOutput.split(separator: "\n", maxSplits: 1)
      try #require(answer.count == 2, "\(result)")
      let said = try Said(JSONValue(String(answer[1])))
      #expect(abs(said.frames / said.rate - 3) < 0.001, "\(result)")
      var wrong = try inaudible(path, said, tones)
      if answer[0] != "yes" { wrong.append("the device is not at \(rate) Hz") }
      // At another rate than it says, a recording takes 1.5 s or 9 s.
      if elapsed < .seconds(2.9) || elapsed > .seconds(6) { wrong.append("it took \(elapsed)") }
      if said.missing >= 0.25 { wrong.append("\(said.missing) s are missing") }
      guard !wrong.isEmpty else { return }
      faults.append(wrong.joined(separator: ", "))
    }
    Issue.record("\(faults)")
  }

  /// The tones that are not heard in the file, which is as the command says.
  private func inaudible(
    _ path: String, _ said: Said, _ tones: [Double]
  ) throws -> [String] {
    let file = try SoundFileReader(path: path)
    #expect(Double(file.sampleRate) == said.rate && Double(file.frames) == said.frames)
    try #require(file.channels == tones.count)
    let samples = try file.read(frames: Int(file.frames))
    var inaudible: [String] = []
    for (channel, tone) in tones.enumerated() {
      let heard = stride(from: channel, to: samples.count, by: tones.count).map { samples[$0] }
      guard Sines.absent([tone], in: heard, rate: file.sampleRate) != nil else { continue }
      inaudible.append("\(tone) Hz is not heard in channel \(channel)")
    }
    return inaudible
  }
}
