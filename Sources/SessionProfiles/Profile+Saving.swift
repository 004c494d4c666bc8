import Glibc
public import SessionCore

extension Profile {
  /// Saves a text as one of the user's profiles and returns its path.
  ///
  /// Checks the text first, so that a broken profile is never saved. Replaces the file as a whole;
  /// an existing file stays unless `overwrite` is set. Throws the errors of reading the text,
  /// `invalidValue` for a name that is invalid or taken, and `storeFailed` with the system's
  /// reason. Writes a file on the calling thread.
  @discardableResult
  public static func save(
    _ text: String, as name: String, overwrite: Bool = false,
    environment: [String: String] = processEnvironment
  ) throws(SessionError) -> String {
    let (path, folder) = try place(for: name, overwrite: overwrite, environment: environment)
    _ = try parse(text, name: name)
    if let error = write(text, to: path, in: folder) {
      throw SessionError(
        .storeFailed, stage: .session,
        "the profile cannot be written to \(path): \(String(cString: strerror(error)))",
        key: "profile", value: path)
    }
    return path
  }

  /// The path to which `save` would write a profile; throws the errors of `save` for the name.
  @discardableResult
  package static func checkSaving(
    as name: String, overwrite: Bool = false, environment: [String: String] = processEnvironment
  ) throws(SessionError) -> String {
    try place(for: name, overwrite: overwrite, environment: environment).path
  }

  /// Whether a profile of this name is part of the program.
  package static func isBuiltIn(_ name: String) -> Bool { BuiltIn.text(name) != nil }

  private static func place(
    for name: String, overwrite: Bool, environment: [String: String]
  ) throws(SessionError) -> (path: String, folder: String) {
    try checkName(name)
    guard let folder = userFolder(environment: environment) else {
      throw SessionError(
        .storeFailed, stage: .session,
        "there is no folder for profiles: neither XDG_CONFIG_HOME nor HOME is an absolute path")
    }
    let path = "\(folder)/\(name).toml"
    guard overwrite || !TextFile.exists(path) else {
      throw SessionError(
        .invalidValue, stage: .configuration,
        "there is a profile \"\(name)\" already: \(path)", key: "profile", value: name)
    }
    return (path, folder)
  }

  private static func checkName(_ name: String) throws(SessionError) {
    let isFileName =
      !name.isEmpty && name.utf8.count <= 200 && !name.hasPrefix(".") && !name.contains("/")
      && name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    guard isFileName else {
      throw SessionError(
        .invalidValue, stage: .configuration,
        "\"\(Text.visible(name))\" is no name for a profile; use letters, digits and hyphens",
        key: "profile", value: Text.visible(name))
    }
  }

  /// Writes a whole file or nothing; returns the system's error, or nil.
  private static func write(_ text: String, to path: String, in folder: String) -> Int32? {
    var at = folder.startIndex
    while let slash = folder[at...].dropFirst().firstIndex(of: "/") {
      mkdir(String(folder[..<slash]), 0o700)
      at = slash
    }
    mkdir(folder, 0o700)
    let temporary = "\(folder)/.\(getpid()).tmp"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return errno }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { break }
      rest = rest.dropFirst(count)
    }
    var error = rest.isEmpty && fsync(descriptor) == 0 ? nil : errno
    if close(descriptor) != 0, error == nil { error = errno }
    if error == nil, rename(temporary, path) != 0 { error = errno }
    if error != nil { unlink(temporary) }
    return error
  }
}
