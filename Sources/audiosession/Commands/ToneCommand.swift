import ArgumentParser
import AudioSession
import AudioStreams
import JSONCoding

struct ToneCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "tone",
    abstract: "Play notes, a sweep, or each speaker by name.",
    discussion: """
      Notes are names (A4 is 440 Hz; C#5, Bb3) or MIDI numbers, played in turn; C4+E4+G4 \
      is a chord of at most eight. --sweep plays a sine of one frequency, or from one to another. \
      Without notes and --sweep it tests the speakers: each channel of the output in turn.

      JSON: schema; device; sampleRate; played: what and seconds.
      """)

  @Argument(help: ArgumentHelp("Notes and chords, in their order.", valueName: "note"))
  var notes: [String] = []

  @Option(help: ArgumentHelp("A sine: 1000, or from-to: 20-20000 (Hz).", valueName: "frequencies"))
  var sweep: String?

  @Option(
    help: ArgumentHelp(
      "Only this channel, such as front-left, left or right; may be repeated.", valueName: "name"))
  var channel: [String] = []

  @Option(help: ArgumentHelp("How long each takes.", valueName: "time"))
  var duration = TimeLimit(argument: "1s")!

  /// The level without `--level`, dB of full scale.
  static let usualLevel = -18

  // Nearly every value is negative, and would otherwise count as an option.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How loud a sweep or a speaker is, dB of full scale. (default: \(ToneCommand.usualLevel))",
      valueName: "dB"))
  var level: Double?

  var activity: String? { nil }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  private static let levels = -120.0...0
  static let possibleLevels = "it must be -120 to 0 dB"

  func validate() throws {
    _ = try chords()
    if let sweep, Sweep(sweep) == nil {
      throw ValidationError("--sweep is \(sweep); write 1000 or 20-20000, in Hz from 1 to 100000")
    }
    guard notes.isEmpty || (sweep == nil && channel.isEmpty && level == nil) else {
      throw ValidationError("notes play on every channel, and without --sweep and --level")
    }
    if let level, !Self.levels.contains(level) {
      throw ValidationError("--level is \(level); \(Self.possibleLevels)")
    }
  }

  /// The groups of simultaneous pitches, in order.
  private func chords() throws -> [(text: String, pitches: [Int])] {
    try notes.map { text in
      let names = text.split(separator: "+", omittingEmptySubsequences: false)
      let pitches = try names.map { name in
        guard let pitch = Note.pitch(named: String(name)) else {
          throw ValidationError("'\(name)' is no note; write A4, C#5, Bb3 or a number of 0-127")
        }
        return pitch
      }
      guard pitches.count <= 8 else {
        throw ValidationError("\(text) has \(pitches.count) notes; eight can sound at once")
      }
      return (text, pitches)
    }
  }

  func run(_ context: Context) async throws -> Status {
    try await context.withSession { session in
      guard let output = try await session.snapshot().defaultDevice(.output) else {
        throw SessionError(.outputNotAvailable, stage: .device, "there is no output")
      }
      let (rate, played) = try await Interruption.cancelling { () async throws -> (Int, [Played]) in
        if !notes.isEmpty { return try await playNotes(session, output, context.output) }
        return try await playTones(session, output, context.output)
      }
      try context.output.result(json: [
        "device": output.name, Property.sampleRate.rawValue: rate, "played": played,
      ]) { _ in [] }
      return .ended()
    }
  }

  private struct Played: Encodable {
    let what: String
    let seconds: Double
  }

  /// Plays the notes; the output's rate, and what was played.
  private func playNotes(
    _ session: AudioSession, _ device: Device, _ output: Output
  ) async throws -> (Int, [Played]) {
    let chords = try self.chords()
    try ToneParts.check(chords, device)
    var configuration = SynthesizerConfiguration()
    configuration.bufferDuration = .milliseconds(50)
    let synthesizer = Synthesizer(session: session, configuration: configuration)
    try await synthesizer.start()
    let rate = synthesizer.sampleRate ?? 0
    var played: [Played] = []
    for (text, pitches) in chords where !Task.isCancelled {
      say(text, output)
      let begin = (frames: synthesizer.position, resets: synthesizer.resets)
      for pitch in pitches {
        try synthesizer.triggerNote(pitch: pitch, duration: duration.duration)
      }
      // Until the output has taken the whole note; cancelling the task ends the wait.
      let whole = duration.duration.seconds
      var (seconds, progress) = (0.0, Standstill())
      while seconds < whole, !Task.isCancelled {
        try? await Task.sleep(for: progress.interval)
        if let failure = synthesizer.failure { throw failure }
        guard synthesizer.resets == begin.resets else {
          throw StreamError(
            .engineStartFailed, "the server or the output was away while \(text) was played")
        }
        let position = synthesizer.position
        guard !progress.isLasting(position) else { throw StreamError.standstill(device.name) }
        seconds = Double(max(position, begin.frames) - begin.frames) / Double(max(1, rate))
      }
      played.append(Played(what: text, seconds: min(seconds, whole)))
    }
    await synthesizer.stop()
    return (rate, played)
  }

  /// Plays a sweep or tests the speakers; as `playNotes`.
  private func playTones(
    _ session: AudioSession, _ device: Device, _ output: Output
  ) async throws -> (Int, [Played]) {
    let parts = try ToneParts(device, self)
    let player = try await TonePlayer(
      parts.items.flatMap { [$0.segment, .silence(0.1)] }, server: session.address)
    var said = 0
    try await player.finish {
      while said < parts.items.count, player.begin(of: 2 * said) != nil {
        say(parts.items[said].name, output)
        said += 1
      }
    }
    // After each part there is a pause of 0.1 s.
    let (length, whole) = (duration.duration.seconds, player.seconds)
    let played = parts.items.enumerated().map { number, item in
      Played(
        what: item.name, seconds: min(length, max(0, whole - Double(number) * (length + 0.1))))
    }
    return (player.sampleRate, played.filter { $0.seconds > 0 })
  }

  private func say(_ text: String, _ output: Output) {
    if !output.isJSON { output.print([Line(text)]) }
  }
}
