import ArgumentParser
import AudioStreams

/// A recording's format on the command line.
struct FormatName: ExpressibleByArgument {
  let format: RecordingFormat

  init?(argument: String) {
    guard let format = RecordingFormat(rawValue: argument) else { return nil }
    self.format = format
  }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

  static var allValueStrings: [String] { RecordingFormat.allCases.map(\.rawValue) }
}
