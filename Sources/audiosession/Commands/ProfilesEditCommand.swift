import ArgumentParser
import AudioSession
import Glibc
import JSONCoding
import POSIX
import SessionProfiles

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

  @Argument(help: "The name of a profile.", completion: Completion.profileName)
  var name: String

  var activity: String? { nil }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func run(_ context: Context) async throws -> Status {
    let path = try Profile.place(for: name, overwrite: true).path
    let before = try Profile.text(name)
    let copy = try Draft(before)
    while true {
      // Ctrl-C is for the editor, which decides what happens to the text.
      try Interruption.lendingKeyboard { () throws(SessionError) in
        try copy.edit(isQuiet: context.output.isJSON)
      }
      let contents = try copy.contents()
      guard contents != Array(before.utf8) else {
        try context.output.result(json: ["name": name, "source": path, "changed": false]) { _ in
          [Line("unchanged")]
        }
        copy.remove()
        return .done
      }
      let (text, errors) = checked(contents, in: copy.path, for: path)
      guard let first = errors.first else {
        do throws(SessionError) {
          guard try Profile.text(name) == before else {
            throw SessionError(
              .invalidValue, stage: .configuration,
              "the profile was changed by another program meanwhile, and is left as it is",
              key: "profile", value: name)
          }
          try Profile.save(text, as: name, overwrite: true)
        } catch {
          var error = error
          error.message += "; your text is in \(copy.path)"
          throw error
        }
        copy.remove()
        return try context.output.result(json: ["name": name, "source": path, "changed": true]) {
          Layout.wrap("saved: \(path)", indent: 0, width: $0)
        }
      }
      for error in errors { context.output.warning(error.description) }
      guard copy.wantsToGoOn() else {
        let consequence = "; the profile is not changed, and your text is in \(copy.path)"
        // For people all are printed above.
        if context.output.isJSON, errors.count > 1 {
          throw ProfileMistakes(all: errors, consequence: consequence)
        }
        var error = first.sessionError
        error.message += consequence
        throw error
      }
    }
  }

  /// The text of a draft, and its errors once it is saved at a path.
  private func checked(
    _ contents: [UInt8], in draft: String, for path: String
  ) -> (text: String, errors: [ProfileDiagnostic]) {
    let text: String
    do throws(ProfileDiagnostic) { text = try TextFile.text(of: contents, draft) } catch {
      return ("", [error])
    }
    let errors = Profile.check(text, as: name, at: path).filter { $0.severity == .error }
    return (
      text,
      errors.map {
        var error = $0
        // The text is not there yet.
        if error.file == path { error.file = draft }
        return error
      }
    )
  }
}

/// A copy of a profile that the user edits.
private struct Draft {
  let path: String
  private let original: String

  init(_ text: String) throws(SessionError) {
    let folder = ProcessEnvironment["TMPDIR"] ?? "/tmp"
    var template = Array("\(folder)/profile-XXXXXX.toml".utf8CString)
    let file = Descriptor(owning: mkstemps(&template, 5))
    guard file.raw >= 0 else { throw Self.failure("make a copy in \(folder)", .last) }
    original = text
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    do throws(SystemError) { try file.write(text.utf8) } catch {
      throw Self.failure("write \(path)", error)
    }
  }

  func remove() { unlink(path) }

  func contents() throws(SessionError) -> [UInt8] {
    do throws(SystemError) { return try File.bytes(of: path, atMost: 1 << 20 + 1) } catch {
      throw Self.failure("read \(path)", error)
    }
  }

  /// Runs the editor on this terminal until it ends.
  ///
  /// - Parameter isQuiet: whether nothing of it may get into the standard output.
  func edit(isQuiet: Bool) throws(SessionError) {
    let editor = ProcessEnvironment["VISUAL"] ?? ProcessEnvironment["EDITOR"] ?? "editor"
    // The variable may contain arguments, so a shell must parse it.
    let launch = Launch(
      program: "/bin/sh", arguments: ["-c", "exec \(editor) \"$1\"", "sh", path],
      descriptors: isQuiet ? [(1, 2)] : [])
    guard let child = try? launch.spawn(), reap(child) == 0 else {
      let isUnchanged = (try? contents()) == Array(original.utf8)
      if isUnchanged { remove() }
      throw SessionError(
        .invalidValue, stage: .configuration,
        "the editor '\(editor)' failed; the profile is not changed"
          + (isUnchanged ? "" : ", and your text is in \(path)"),
        value: editor)
    }
  }

  /// Asks whether to edit again; false if there is no terminal for the answer.
  func wantsToGoOn() -> Bool {
    guard isatty(0) == 1, isatty(2) == 1 else { return false }
    // The path, for the answer Ctrl-C.
    let question = Array("your text is in \(path); edit it again? [Y/n] ".utf8)
    _ = write(2, question, question.count)
    guard let answer = readLine() else { return false }
    return !answer.lowercased().hasPrefix("n")
  }

  private static func failure(_ what: String, _ error: SystemError) -> SessionError {
    SessionError(.storeFailed, stage: .session, "cannot \(what): \(error)")
  }
}
