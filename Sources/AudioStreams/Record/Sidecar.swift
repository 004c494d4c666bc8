import Glibc
import JSONCoding

/// The file beside a recording that lists its gaps and its inputs.
///
/// It exists only if something is missing or the input changed, and is replaced as a whole each
/// time.
enum Sidecar {
  /// Its path: the recording's path with `.json` appended.
  static func path(of recording: String) -> String { recording + ".json" }

  /// Removes the file of an earlier recording with the same name.
  static func remove(of recording: String) { unlink(path(of: recording)) }

  /// Writes it; a reader gets the old or the new file.
  static func write(
    _ progress: RecordingProgress, of recording: String
  ) throws(StreamError) {
    let final = path(of: recording)
    let draft = final + ".new"
    let text = Array(Self.text(progress).utf8)
    // Removes the draft of a killed run; never follows or writes to a file that another program put
    // there.
    unlink(draft)
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw FileOutput.error("'\(draft)' cannot be written", errno) }
    let count = Glibc.write(descriptor, text, text.count)
    let number = count == text.count ? 0 : count < 0 ? errno : ENOSPC
    close(descriptor)
    guard number == 0, rename(draft, final) == 0 else {
      throw FileOutput.error("'\(final)' cannot be written", number == 0 ? errno : number)
    }
  }

  /// The contents as JSON.
  static func text(_ progress: RecordingProgress) -> String {
    // It has only names and numbers, which JSON can always represent.
    let style = JSON.Style.shown(isOneLine: false) { _ in false }
    let bytes = try? JSON.encode(Content(progress), style)
    return String(decoding: bytes ?? [], as: UTF8.self) + "\n"
  }

  private struct Content: Encodable {
    let schema = 1
    let sampleRate: Int
    let channels: Int
    let inputs: [RecordedInput]
    let missing: [MissingFrames]

    init(_ progress: RecordingProgress) {
      (sampleRate, channels) = (progress.sampleRate, progress.channels)
      (inputs, missing) = (progress.inputs, progress.missing)
    }
  }
}
