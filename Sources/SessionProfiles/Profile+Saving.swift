import Glibc
import POSIX
public import SessionCore
import Synchronization

/// Numbers the drafts of this process: two texts may be saved at once.
private let drafts = Atomic(0)

extension Profile {
  /// Saves a text as one of the user's profiles and returns its path.
  ///
  /// Checks the text first, so that a broken profile is never saved. Replaces the file as a whole
  /// (of a link the file that it leads to) and keeps its permissions; an existing file or link stays
  /// unless `overwrite` is set. Throws the errors of reading the text, `invalidValue` for a name
  /// that is invalid or taken, and `storeFailed` with the system's reason. Writes a file on the
  /// calling thread.
  @discardableResult
  public static func save(
    _ text: String, as name: String, overwrite: Bool = false,
    environment: [String: String] = processEnvironment
  ) throws(SessionError) -> String {
    let (path, folder) = try place(for: name, overwrite: overwrite, environment: environment)
    let mistake = check(text, as: name, at: path, environment: environment).first {
      // Of a drop-in it is not this text's.
      $0.severity == .error && !$0.file.contains("/\(name).toml.d")
    }
    if let mistake { throw mistake.sessionError }
    // A link stays: the file may be in a folder of settings that is under version control.
    var target = File.target(path)
    // A device, such as /dev/null, is not the profile's to replace.
    if File.status(target)?.isRegular == false { target = path }
    do throws(SystemError) { try write(text, to: target, in: folder) } catch {
      throw SessionError(
        .storeFailed, stage: .session, "the profile cannot be written to \(target): \(error)",
        key: "profile", value: path)
    }
    return path
  }

  /// Whether a profile of this name is part of the program.
  package static func isBuiltIn(_ name: String) -> Bool { BuiltIn.text(name) != nil }

  /// Where `save` would write a profile; throws the errors of `save` for the name.
  @discardableResult
  package static func place(
    for name: String, overwrite: Bool, environment: [String: String] = processEnvironment
  ) throws(SessionError) -> (path: String, folder: String) {
    try checkName(name)
    guard let folder = userFolder(environment: environment) else {
      throw SessionError(
        .storeFailed, stage: .session,
        "there is no folder for profiles: neither XDG_CONFIG_HOME nor HOME is an absolute path")
    }
    let path = "\(folder)/\(name).toml"
    guard overwrite || !(File.exists(path) || File.link(path) != nil) else {
      throw SessionError(
        .invalidValue, stage: .configuration,
        "there is a profile \"\(name)\" already: \(path)", key: "profile", value: name)
    }
    return (path, folder)
  }

  private static func checkName(_ name: String) throws(SessionError) {
    if let fault = fault(name) {
      throw SessionError(
        .invalidValue, stage: .configuration,
        "\"\(Text.visible(name))\" is no name for a profile: \(fault)",
        key: "profile", value: Text.visible(name))
    }
    // The file of the profile that is meant would get a second suffix.
    guard !name.hasSuffix(".toml") else {
      throw SessionError(
        .invalidValue, stage: .configuration,
        "\"\(Text.visible(name))\" is no name for a profile; do you mean "
          + "'\(Text.visible(String(name.dropLast(5))))'?",
        key: "profile", value: Text.visible(name))
    }
  }

  /// The bytes of the longest name, which leave room for the suffixes of a file's name.
  private static let longestName = 200

  /// Why a name cannot be that of a file that a person sees and finds; nil if it can.
  private static func fault(_ name: String) -> String? {
    let length = name.utf8.count
    if length == 0 { return "it is empty" }
    if length > longestName { return "it has \(length) bytes, and can have at most \(longestName)" }
    if name.unicodeScalars.contains(where: \.isControl) { return "it has a control character" }
    if name.hasPrefix(".") { return "it begins with '.'" }
    if name.contains("/") { return "it has a '/'" }
    let ends = [name.first, name.last].compactMap { $0 }
    return ends.contains(where: \.isWhitespace) ? "it begins or ends with a space" : nil
  }

  /// Writes a whole file or nothing; `folder` is the folder of profiles, which need not exist.
  private static func write(
    _ text: String, to path: String, in folder: String
  ) throws(SystemError) {
    do throws(Folder.Failure) { try Folder.make(folder) } catch { throw error.error }
    // Beside the file, as it can be renamed on its own file system only.
    let beside = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let draft = "\(beside).\(getpid())-\(drafts.add(1, ordering: .relaxed).newValue).tmp"
    try File.replace(
      path, with: text.utf8, by: draft, mode: 0o644, keepsMode: true, isSynced: true)
  }
}
