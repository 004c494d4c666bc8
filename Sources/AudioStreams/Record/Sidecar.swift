import Glibc
import JSONCoding
import POSIX

/// The file beside a recording that lists its gaps, its inputs, and zeros amid sound.
///
/// It exists only if something is missing, there are such zeros, or the input changed, and is
/// replaced as a whole each time.
package enum Sidecar {
  /// Its path: the recording's path with `.json` appended.
  static func path(of recording: String) -> String { recording + ".json" }

  /// Whether a recording has one: not a pipe or a device, nor what leads to a descriptor, as `/dev/stdout`
  /// does.
  package static func isPossible(for recording: String) -> Bool {
    recording != "-" && File.status(recording)?.isRegular != false && !isDescriptor(recording)
  }

  /// Whether a path, or what it links to, is below `/proc`.
  private static func isDescriptor(_ path: String) -> Bool {
    var path = path
    // As many links as the kernel follows.
    for _ in 0..<40 {
      let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
      if let real = File.real(folder), real == "/proc" || real.hasPrefix("/proc/") { return true }
      guard let next = File.link(path) else { return false }
      path = next.hasPrefix("/") ? next : folder + next
    }
    return false
  }

  /// Throws if it could not be written, or the one of an earlier recording not be removed.
  ///
  /// - Parameter replacesOthers: whether a file of that name may be anything.
  static func check(
    for recording: String, replacesOthers: Bool = false
  ) throws(StreamError) {
    let final = path(of: recording)
    let draft = draft(of: final)
    unlink(draft)
    do throws(SystemError) {
      _ = try Descriptor(opening: draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o666)
      unlink(draft)
      if File.status(final)?.isFolder == true { throw SystemError(EISDIR) }
    } catch {
      // The error of a recording that cannot be created either is clearer.
      let folder = [ENOENT, ENOTDIR, EACCES, EPERM, EROFS]
      if !File.exists(recording), folder.contains(error.number) { return }
      throw FileOutput.error("'\(final)' cannot be written", error)
    }
    let isEmpty = File.status(final).map { $0.st_size == 0 } ?? true
    guard replacesOthers || isEmpty || isList(final) else {
      throw StreamError(
        .fileFailed, "'\(final)' is not the list of an earlier recording, and would be replaced",
        details: "move it, or give the recording another name")
    }
  }

  /// Whether a file lists the gaps of a recording.
  private static func isList(_ path: String) -> Bool {
    struct Format: Decodable { let schema, sampleRate, channels: Int }
    return (try? JSON.decode(Format.self, from: File.bytes(of: path))) != nil
  }

  /// Removes the one of an earlier recording with the same name.
  static func remove(of recording: String) { unlink(path(of: recording)) }

  private static func draft(of final: String) -> String { final + ".new" }

  /// Writes it; a reader gets the old or the new file.
  static func write(
    _ progress: RecordingProgress, of recording: String
  ) throws(StreamError) {
    let final = path(of: recording)
    let draft = draft(of: final)
    do throws(SystemError) {
      try File.replace(final, with: text(progress).utf8, by: draft, mode: 0o666)
    } catch {
      throw FileOutput.error("'\(final)' cannot be written", error)
    }
  }

  /// The contents as JSON.
  static func text(_ progress: RecordingProgress) -> String {
    // It has only names and numbers, which JSON can always represent.
    let style = JSON.Style.shown(isOneLine: false) { _ in false }
    let content: JSONObject = [
      "schema": 1, "sampleRate": progress.sampleRate, "channels": progress.channels,
      "inputs": progress.inputs, "missing": progress.missing, "zeros": progress.zeros,
    ]
    let bytes = try? JSON.encode(content, style)
    return String(decoding: bytes ?? [], as: UTF8.self) + "\n"
  }
}
