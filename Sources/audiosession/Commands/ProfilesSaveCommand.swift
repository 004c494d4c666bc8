import ArgumentParser
import AudioSession
import JSONCoding
import SessionProfiles

struct ProfilesSaveCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "save",
    abstract: "Save the present setup as a profile.",
    discussion: """
      Writes only settings that differ from the server's own choice, with comments. Devices are \
      identified by what stays the same: serial number, address, vendor and product, or connector. \
      Applying the profile directly afterwards changes nothing, unless drop-ins change it: a warning \
      lists them. Changes nothing on the server.

      JSON: schema, name, source (the path), left (what no profile can say), mode (as of \
      'profiles show'), toml.
      """)

  @Argument(help: "The name to save it as.", completion: Completion.ownProfile)
  var name: String

  @Flag(help: "Replace a profile of that name.")
  var force = false

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func validate() throws {
    guard !options.sandbox else {
      throw ValidationError(
        "--sandbox would save its demo devices in your own folder; use 'audiosession sandbox', whose "
          + "profiles end with it")
    }
  }

  func run(_ context: Context) async throws -> Status {
    try check()
    let setup = try await context.withSession { try await $0.capturedSetup() }
    let text = ProfileWriter.toml(setup)
    let path = try Profile.save(text, as: name, overwrite: force)
    try context.output.result(json: [
      "name": name, "source": path, "left": setup.left, "mode": setup.mode.json,
      "toml": text,
    ]) { width in
      Layout.wrap("saved: \(path)", indent: 0, width: width)
    }
    if Profile.isBuiltIn(name) {
      context.output.note(
        "it hides the built-in profile '\(name)'; to have that again, remove \(path)")
    }
    let dropIns = Profile.dropIns(of: name)
    if !dropIns.isEmpty {
      context.output.warning(
        "it is still changed by \(Words.list(dropIns)); without them it is the present setup")
    }
    for note in setup.left { context.output.warning("left out: \(note)") }
    return .done
  }

  /// Reports an invalid name before it asks a server.
  private func check() throws {
    do throws(SessionError) {
      try Profile.place(for: name, overwrite: force)
    } catch {
      var error = error
      if error.message.hasPrefix("there is a profile") {
        error.message += "; --force replaces it, another name keeps both"
      }
      throw error
    }
  }
}
