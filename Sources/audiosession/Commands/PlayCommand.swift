import ArgumentParser
import AudioSession
import AudioStreams
import JSONCoding

struct PlayCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Play a sound file through the session's output.",
    discussion: """
      Plays any file that libsndfile can read, converted to the device's actual rate. '-' is \
      standard input, which is read to its end first. SIGINT or SIGTERM stops it. It pauses while \
      the server requests it (PulseAudio's module-role-cork, during a call). It warns of gaps: the \
      file was read, or its sound reached the server, too late.

      JSON: schema, file, seconds (how much of it was played), dropouts (the seconds of all gaps).
      """)

  @Argument(help: "The file. '-' is standard input.", completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp(
      "A profile for this playback only (device, rate, buffer, channels).",
      valueName: "profile"),
    completion: Completion.profile)
  var profile: String?

  var activity: String? { nil }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func run(_ context: Context) async throws -> Status {
    try await context.withOwnSession(profile) { session in
      let player = AudioPlayer(session: session)
      let output = context.output
      let played = try await output.progressing(on: session) {
        let isPaused = await player.isPaused
        return await player.progress.map { PlayView.line($0, isPaused: isPaused) }
      } during: {
        try await Interruption.cancelling {
          try await Interruption.waiting {
            try await naming(file) { try await player.play(file) }
          }
        }
      }
      let dropouts = await player.dropouts
      if dropouts > .zero {
        output.warning(
          "the sound had gaps of \(Words.milliseconds(dropouts)) in all: the file was read, or its "
            + "sound reached the server, too late")
      }
      try output.result(json: [
        "file": file, "seconds": played.seconds, "dropouts": dropouts.seconds,
      ]) { _ in [] }
      return .ended()
    }
  }
}
