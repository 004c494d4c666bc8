import ArgumentParser
import AudioSession
import AudioStreams
import Logging

/// `record FILE`
struct RecordCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record the session's input into a file.",
    discussion: """
      As the device is, unless rate or channels are named. Goes on through route changes and \
      restarts of the server: what is missing is silence in the file, and is listed to the sample \
      in FILE.json. A source named by --device is waited for when it is unplugged; with --follow \
      the session's input is recorded from then on, and FILE.json names both. Ends after the duration, or on SIGINT or SIGTERM; a process that is killed \
      leaves all but the last second. '-' is standard output.

      JSON: schema, file, seconds, channels, sampleRate, format, frames, inputs (position, device), \
      missing (cause, position, frames).
      """)

  @Argument(
    help: "The file; replaced where it exists. '-' is standard output.", completion: .file())
  var file: String

  @Option(help: "Frames in a second, Hz. (default: the device's)")
  var rate: Int?

  @Option(help: "How many channels (1-32), or mono. (default: the device's)")
  var channels: ChannelCount?

  @Option(help: "How it is stored. (default: flac16 for .flac, else wav16)")
  var format: FormatName?

  @Option(help: ArgumentHelp("When to stop: 10s, 5m, 1h.", valueName: "time"))
  var duration: TimeLimit?

  @Option(
    help: "The name of a source. (default: the session's input)", completion: Completion.source)
  var device: String?

  @Flag(
    help: "Go on with the session's input when the source named by --device is unplugged.")
  var follow = false

  @Option(
    help: ArgumentHelp(
      "A profile that holds for what this command records alone: device, rate, buffer, channels.",
      valueName: "profile"),
    completion: Completion.profile)
  var profile: String?

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func validate() throws {
    if options.json, file == "-" {
      throw ValidationError("--json and '-' both write to standard output; leave one out")
    }
    let ending = file.split(separator: ".").last.map { $0.lowercased() } ?? ""
    if format == nil, Self.foreignEndings.contains(ending) {
      throw ValidationError(
        "a file that ends in .\(ending) would be a WAV; end it in .wav or .flac, or name a --format"
      )
    }
    if follow, device == nil {
      throw ValidationError("--follow needs --device: without it the session's input is followed")
    }
    if let rate, !(8000...192_000).contains(rate) {
      throw ValidationError("a rate of \(rate) Hz; it can be 8000 to 192000")
    }
  }

  func run(_ context: Context) async throws -> Status {
    try await context.withOwnSession(profile) { session in
      let recorder = AudioRecorder(session: session)
      let events = await recorder.capture.events
      let progress = try await Interruption.cancelling {
        do {
          try await recorder.start(file, configuration: configuration)
        } catch {
          // The error of a cancelled wait describes the wait, not the cancellation.
          throw Task.isCancelled ? CancellationError() : error
        }
        return try await follow(recorder, events, context)
      }
      let result = RecordView(file, format?.format ?? RecordingFormat(path: file), progress)
      if file == "-" {
        context.output.note(result.summary)
      } else {
        try context.output.result(result) { _ in result.lines }
      }
      return Interruption.received.map(Status.signal) ?? .done
    }
  }

  /// File name extensions for which users expect another format than WAV.
  private static let foreignEndings: Set = [
    "aac", "aif", "aiff", "caf", "m4a", "mp3", "mp4", "oga", "ogg", "opus", "webm", "wma",
  ]

  private var configuration: RecordingConfiguration {
    RecordingConfiguration(
      format: format?.format, sampleRate: rate, channels: channels?.channels ?? .device,
      duration: duration?.duration, device: device, follows: follow)
  }

  /// Shows time and level until the recording ends or the task is cancelled.
  private func follow(
    _ recorder: AudioRecorder, _ events: AsyncStream<CaptureEvent>, _ context: Context
  ) async throws -> RecordingProgress {
    let output = context.output
    switch await recorder.capture.scheduling {
    case .ordinary(let reason): output.note("the audio thread is not realtime: \(reason)")
    case let granted?: context.logger?.debug("the audio thread is \(granted)")
    case nil: break
    }
    let warnings = Task {
      for await event in events {
        switch event {
        case .error(let error):
          output.warning(error.description)
          guard error.code == .deviceNotAvailable, let device, !follow else { break }
          output.note("waiting for '\(visible(device))'; what is missing is silence in the file")
        case .inputChanged(let device): output.note("now recording from '\(visible(device))'")
        case .status, .tapped: break
        }
      }
    }
    let ticks = Task {
      while !Task.isCancelled {
        output.progress(RecordView.line(await recorder.progress))
        try? await Task.sleep(for: .milliseconds(100))
      }
      output.progress(nil)
    }
    defer {
      warnings.cancel()
      ticks.cancel()
    }
    let result: Result<RecordingProgress, any Error>
    do {
      _ = try await recorder.finished()
      result = .success(try await recorder.stop())  // it still records if this task was cancelled
    } catch {
      result = .failure(error)
    }
    ticks.cancel()
    await ticks.value
    return try result.get()
  }
}

/// A number of channels on the command line, or `mono`.
struct ChannelCount: ExpressibleByArgument {
  let channels: CaptureChannels

  init?(argument: String) {
    if argument == "mono" {
      channels = .mono
    } else if let count = Int(argument), (1...32).contains(count) {
      channels = count == 1 ? .mono : .count(count)
    } else {
      return nil
    }
  }
}

/// A recording's format on the command line.
struct FormatName: ExpressibleByArgument {
  let format: RecordingFormat

  init?(argument: String) {
    guard let format = RecordingFormat(rawValue: argument) else { return nil }
    self.format = format
  }

  static var allValueStrings: [String] { RecordingFormat.allCases.map(\.rawValue) }
}
