public import ArgumentParser
import AudioSession
public import AudioStreams
import Glibc
import Logging
import POSIX
import PulseTypes

/// `record FILE`
struct RecordCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record the session's input into a file.",
    discussion: """
      Records at the device's rate and channels unless you name others. The recording continues \
      through route changes and restarts of the server: missing sound is silence in the file, and \
      FILE.json lists it to the sample. A source named by --device that is unplugged is waited for; \
      with --follow the session's input is recorded from then on, and FILE.json names both. On \
      PipeWire FILE.json also lists zeros amid the sound that no mute on the server explains: they \
      were lost, or the device itself was muted. The recording ends after the duration, or on SIGINT \
      (status 0) or SIGTERM; without a duration also when the server has not answered for a minute \
      (status 69). An existing FILE or FILE.json that is not empty is replaced with --force only. It \
      warns of a muted input, of silence, of clipping and of a full disk. If the process is killed, \
      the file has all but the last second. '-' is standard output.

      JSON: schema, file, seconds, channels, sampleRate, format, frames, peak (of full \
      scale), inputs (position, device), missing (cause, position, frames), zeros (position, frames: \
      zeros amid the sound that no mute explains), startDelay (how long the input took to deliver \
      the first sound, in seconds).
      """)

  @Argument(
    help: "The file to write: .wav or .flac. '-' is standard output, if that is no terminal.",
    completion: .file())
  var file: String

  @Option(help: "Frames in a second, Hz. (default: the device's)")
  var rate: Int?

  @Option(help: "How many channels (1-32), or mono. (default: the device's)")
  var channels: ChannelCount?

  @Option(help: "The format of the file. (default: flac16 for .flac, else wav16)")
  var format: RecordingFormat?

  @Option(help: ArgumentHelp("When to stop: 10s, 5m, 1h.", valueName: "time"))
  var duration: TimeLimit?

  @Option(
    help: "A source: its name, or what 'devices' calls it. (default: the session's input)",
    completion: Completion.source)
  var device: String?

  @Flag(
    help: "Continue with the session's input when the source named by --device is unplugged.")
  var follow = false

  @Flag(help: "Replace the file if it exists.")
  var force = false

  @Option(
    help: ArgumentHelp(
      "A profile for this recording only (device, rate, buffer, channels).",
      valueName: "profile"),
    completion: Completion.profile)
  var profile: String?

  var activity: String? { nil }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  private static let rates = 8000...192_000
  static let possibleRates = "it can be \(rates.lowerBound) to \(rates.upperBound)"

  func validate() throws {
    if options.json, isStandardOutput {
      throw ValidationError(
        "--json and '\(visible(file))' both write to standard output; leave one out")
    }
    if isStandardOutput, isatty(STDOUT_FILENO) == 1 {
      throw ValidationError(
        "'\(visible(file))' would write sound to the terminal; redirect it, or name a file")
    }
    if let mistake {
      throw ValidationError(mistake + "; end it in .wav or .flac, or name a --format")
    }
    if let contradiction { throw ValidationError(contradiction) }
    if case .count(let count)? = channels?.channels,
      let refusal = kind.refusal(ofChannels: count)
    {
      throw ValidationError(refusal)
    }
    if follow, device == nil {
      throw ValidationError("--follow needs --device: without it the session's input is followed")
    }
    if let rate, !Self.rates.contains(rate) {
      throw ValidationError("--rate is '\(rate)'; \(Self.possibleRates)")
    }
  }

  /// How the names of recordings end.
  static let endings = ["wav", "wave", "flac"]

  /// Whether the sound goes where results are printed, by whatever name: `/dev/stdout` is one.
  private var isStandardOutput: Bool {
    var (own, null) = (stat(), stat())
    guard file != "-" else { return true }
    guard fstat(STDOUT_FILENO, &own) == 0, let named = File.status(file) else { return false }
    stat("/dev/null", &null)
    return (named.st_dev, named.st_ino) == (own.st_dev, own.st_ino) && named.st_rdev != null.st_rdev
  }

  /// Whether a file remains, which may have a `FILE.json`: not of a pipe or a device.
  private var leavesFile: Bool { Sidecar.isPossible(for: file) }

  /// Why the file's name does not say its format. A pipe or a device needs no such name.
  private var mistake: String? {
    guard format == nil, leavesFile else { return nil }
    let name = file.split(separator: "/").last.map(String.init) ?? ""
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count > 1, let ending = parts.last?.lowercased() else {
      return "'\(visible(name))' has no ending, so its format is not known"
    }
    guard !Self.endings.contains(ending) else { return nil }
    return "the format of '\(visible(name))' is not known: it ends in .\(visible(ending))"
  }

  /// Why the file's name and the format exclude each other; nil if they do not.
  private var contradiction: String? {
    guard let format, leavesFile, let dot = file.lastIndex(of: ".") else { return nil }
    let ending = file[file.index(after: dot)...].lowercased()
    // Formats are named after their kind.
    guard Self.endings.contains(ending), ending.prefix(3) != format.rawValue.prefix(3) else {
      return nil
    }
    let name = file.split(separator: "/").last.map(String.init) ?? file
    let fitting = RecordingFormat.allValueStrings.filter { $0.hasPrefix(ending.prefix(3)) }
    return
      "'\(visible(name))' ends in .\(ending), and \(format.rawValue) is another kind of file; "
      + "use \(Words.list(fitting, last: "or")), or end it in "
      + (ending == "flac" ? ".wav" : ".flac")
  }

  func run(_ context: Context) async throws -> Status {
    let sharesOutput = isStandardOutput
    if leavesFile {
      for path in [file, file + ".json"] { try FileGuard.check(path, replaces: force) }
    }
    return try await context.withOwnSession(profile) { session in
      let source = try await introduce(session, context.output)
      let recorder = AudioRecorder(session: session)
      // From before the start, which may be during a call.
      let (events, sessionEvents) = (recorder.capture.events, session.events)
      let progress = try await Interruption.cancelling {
        try await Interruption.waiting {
          try await naming(file) {
            try await recorder.start(file, configuration: configuration(source))
          }
        }
        let printing = PrintQueue()
        let result = await outcome {
          try await follow(recorder, events, sessionEvents, printing, context)
        }
        // What has happened is printed before why it failed.
        await printing.finish()
        return try result.get()
      }
      let result = RecordView(file: file, format: kind, progress: progress)
      if sharesOutput {
        context.output.note(result.summary)
      } else {
        let names = context.names(await session.lastSnapshot)
        try context.output.result(json: result.json) { result.lines(names, width: $0) }
      }
      // A recording without a length ends with Ctrl-C.
      return .ended(usual: SIGINT)
    }
  }

  /// Names the source and how the recording ends. Warns at once if the source is muted; a later mute
  /// is detected as silence.
  ///
  /// - Returns: the name of the source that `--device` means.
  private func introduce(_ session: AudioSession, _ output: Output) async throws -> String? {
    let own = await session.place(.input).device
    let result = await outcome { () async throws(SessionError) in try await session.snapshot() }
    // A server that does not answer is not waited for twice.
    if case .failure(let error) = result, error.code == .timedOut { throw error }
    guard let snapshot = try? result.get(),
      let source = try device.map(snapshot.input(called:))
        ?? own.flatMap({ snapshot.device(.input, named: $0) }) ?? snapshot.defaultDevice(.input)
    else { return device }
    let end = duration == nil ? "; Ctrl-C ends it" : ""
    output.hint("recording from \(visible(source.title))\(end)")
    for muted in Set(
      [source, snapshot.chain.root(of: source) ?? source].filter(\.isMuted).map(\.name))
    {
      let command = "pactl set-source-mute \(Words.quoted(visible(muted))) 0"
      output.warning(
        "the input is muted; to unmute it: \(Words.command(command, on: session.address))")
    }
    return device == nil ? nil : source.name
  }

  private var kind: RecordingFormat { format ?? RecordingFormat(path: file) }

  private func configuration(_ source: String?) -> RecordingConfiguration {
    var configuration = RecordingConfiguration(
      format: format, sampleRate: rate, channels: channels?.channels ?? .device,
      duration: duration?.duration, device: source, follows: follow)
    configuration.replacesOtherLists = force
    return configuration
  }

  /// Why a recording is interrupted.
  private static func words(_ reason: InterruptionReason) -> String {
    if case .call(let name) = reason { "\(name) has a call" } else { EventView.words(reason) }
  }

  /// Shows time and level until the recording ends or the task is cancelled.
  ///
  /// Messages are printed in a task of their own: a terminal that takes none must not occupy the
  /// threads that the recording needs.
  private func follow(
    _ recorder: AudioRecorder, _ events: AsyncStream<CaptureEvent>,
    _ sessionEvents: AsyncStream<SessionEvent>, _ printing: PrintQueue, _ context: Context
  ) async throws -> RecordingProgress {
    let output = context.output
    switch await recorder.capture.scheduling {
    case .ordinary(let reason):
      printing.add { output.note("the audio thread is not realtime: \(reason)") }
    case let granted?: context.logger?.debug("the audio thread is \(granted)")
    case nil: break
    }
    let interruptions = Task { [capture = recorder.capture] in
      for await case .interruptionBegan(let reason) in sessionEvents {
        guard await capture.isInterrupted(by: reason) else { continue }
        printing.add { output.note("the recording is interrupted: \(visible(Self.words(reason)))") }
      }
    }
    defer { interruptions.cancel() }
    let warnings = Task {
      var isInterrupted = false
      for await event in events {
        switch event {
        case .error(let error):
          printing.add { output.warning(error.description) }
          guard error.code == .deviceNotAvailable, let device, !follow else { break }
          printing.add {
            output.note("waiting for '\(visible(device))'; missing sound is silence in the file")
          }
        case .inputChanged(let device):
          printing.add { output.note("now recording from '\(visible(device))'") }
        case .status(.interrupted, _): isInterrupted = true
        case .status(.streaming, _) where isInterrupted:
          isInterrupted = false
          printing.add { output.note("the recording continues") }
        case .status, .tapped: break
        }
      }
    }
    defer { warnings.cancel() }
    let watch = Guarded(RecordingWatch())
    return try await output.progressing(on: recorder.capture.session) {
      let progress = await recorder.progress
      let left = DiskSpace.left(for: file, progress, kind)
      let warnings = watch.withLock { $0.warnings(progress, left: left) }
      for warning in warnings { printing.add { output.warning(warning) } }
      return RecordView.line(progress, left: left)
    } during: {
      _ = try await recorder.finished()
      do throws(StreamError) {
        return try await recorder.stop()  // it still records if this task was cancelled
      } catch {
        guard error.isOfStalledReader else { throw error }
        printing.add { output.warning(error.description) }
        return await recorder.progress
      }
    }
  }
}

extension RecordingFormat: ExpressibleByArgument {}
