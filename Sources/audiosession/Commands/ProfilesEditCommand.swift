import ArgumentParser
import AudioSession
@preconcurrency import Glibc  // `environ` is a plain C variable
import SessionProfiles

/// `profiles edit NAME`
struct ProfilesEditCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Edit a profile, and save it only if it has no mistakes.",
    discussion: """
      Starts $VISUAL, $EDITOR or 'editor' on a copy. If the result has mistakes, they are printed and \
      the profile is not changed; on a terminal you are asked whether to edit again. A profile that \
      is not your own is copied to your folder, and your copy is used from then on.

      JSON: schema, name, source (the path), changed.
      """)

  @Argument(help: "The name of a profile.", completion: Completion.profile)
  var name: String

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func run(_ context: Context) async throws -> Status {
    let path = try Profile.checkSaving(as: name, overwrite: true)
    let before = try Profile.text(name)
    let copy = try Draft(before)
    while true {
      // Ctrl-C is for the editor, which decides what happens to the text.
      try Interruption.lendingKeyboard { () throws(SessionError) in try copy.edit() }
      let text = try copy.text()
      guard text != before else {
        try context.output.result(EditedProfile(name: name, source: path, changed: false)) { _ in
          [Line("unchanged")]
        }
        copy.remove()
        return .done
      }
      let errors = Profile.check(file: copy.path).filter { $0.severity == .error }
      guard let first = errors.first else {
        try Profile.save(text, as: name, overwrite: true)
        copy.remove()
        try context.output.result(EditedProfile(name: name, source: path, changed: true)) {
          Layout.wrap("saved: \(path)", indent: 0, width: $0)
        }
        return .done
      }
      for error in errors { context.output.warning(error.description) }
      guard Draft.wantsToGoOn() else {
        var error = first.sessionError
        error.message += "; the profile is not changed, and your text is in \(copy.path)"
        throw error
      }
    }
  }
}

/// `profiles edit --json`.
struct EditedProfile: Encodable {
  let schema = 1
  let name: String
  let source: String
  let changed: Bool
}

/// A copy of a profile that the user edits.
private struct Draft {
  let path: String

  init(_ text: String) throws(SessionError) {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(folder)/profile-XXXXXX.toml".utf8CString)
    let descriptor = mkstemps(&template, 5)
    guard descriptor >= 0 else { throw Self.failure("make a copy in \(folder)") }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer { close(descriptor) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure("write \(path)") }
      rest = rest.dropFirst(count)
    }
  }

  func remove() { unlink(path) }

  func text() throws(SessionError) -> String {
    guard let file = fopen(path, "r") else { throw Self.failure("read \(path)") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= 1 << 20 {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { break }
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Runs the editor on this terminal until it ends.
  func edit() throws(SessionError) {
    let names: [String] = ["VISUAL", "EDITOR"]
    let set = names.compactMap { name in getenv(name).map { String(cString: $0) } }
    let editor = set.first { !$0.isEmpty } ?? "editor"
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var pipes = sigset_t()
    sigemptyset(&pipes)
    sigaddset(&pipes, SIGPIPE)  // ignored here, and children would inherit that
    posix_spawnattr_setsigdefault(&attributes, &pipes)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    // The variable may contain arguments, so a shell must parse it.
    let words: [String] = ["sh", "-c", "exec \(editor) \"$1\"", "sh", path]
    let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    var child = pid_t()
    let result = posix_spawn(&child, "/bin/sh", nil, &attributes, arguments + [nil], environ)
    var status: Int32 = 0
    while result == 0, waitpid(child, &status, 0) < 0, errno == EINTR {}
    guard result == 0, status == 0 else {
      throw SessionError(
        .invalidValue, stage: .configuration,
        "the editor '\(editor)' did not end well; nothing is changed, the copy is \(path)",
        value: editor)
    }
  }

  /// Asks whether to edit again; false if there is no terminal for the answer.
  static func wantsToGoOn() -> Bool {
    guard isatty(0) == 1, isatty(2) == 1 else { return false }
    let question = Array("edit again? [Y/n] ".utf8)
    _ = write(2, question, question.count)
    guard let answer = readLine() else { return false }
    return !answer.lowercased().hasPrefix("n")
  }

  private static func failure(_ what: String) -> SessionError {
    SessionError(
      .storeFailed, stage: .session, "cannot \(what): \(String(cString: strerror(errno)))")
  }
}
