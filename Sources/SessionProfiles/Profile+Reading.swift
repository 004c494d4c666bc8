public import SessionCore

extension Profile {
  /// Finds and reads a profile, with the profiles that it extends.
  ///
  /// A name with a slash, or an existing file that ends in `.toml`, is a path. Any other name is
  /// looked up in `searchPath(environment:)` and then among the built-in profiles; the first match
  /// is used even if it is broken. The name in `extends` is looked up in the same way and, if that
  /// finds nothing, beside the extending file.
  ///
  /// Throws with stage `configuration`: `profileNotFound` with the nearest names, `accessDenied`
  /// for a file that may not be read, `unknownKey`, `invalidValue`, and the errors of
  /// `AudioMode.validate()`; the message begins with `FILE:LINE:COLUMN:`. Reads files on the
  /// calling thread.
  public static func named(
    _ name: String, environment: [String: String] = processEnvironment
  ) throws(SessionError) -> Profile {
    let library = ProfileLibrary(environment: environment)
    do {
      return try ProfileResolver(library: library).resolve(try library.locate(name))
    } catch {
      throw error.sessionError
    }
  }

  /// Lists all errors for which `named(_:environment:)` throws, starting with the one that it
  /// throws; empty for a good profile.
  ///
  /// If the profile or one that it extends has mistakes, lists those of the first such file, or of
  /// all drop-ins of one profile.
  package static func problems(
    _ name: String, environment: [String: String] = processEnvironment
  ) -> [ProfileDiagnostic] {
    let library = ProfileLibrary(environment: environment)
    do {
      return ProfileResolver(library: library).problems(try library.locate(name))
    } catch {
      return [error]
    }
  }

  /// Lists all profiles by name, each once, as `named(_:environment:)` would find it.
  ///
  /// Includes a broken profile, with its error. Leaves out folders that cannot be read.
  public static func all(environment: [String: String] = processEnvironment) -> [ProfileListing] {
    ProfileInventory(environment: environment).listings
  }

  /// Lists the files that change a profile without replacing it, in order of priority.
  package static func dropIns(
    of name: String, environment: [String: String] = processEnvironment
  ) -> [String] {
    let library = ProfileLibrary(environment: environment)
    let found = try? library.dropIns(of: library.locate(name))
    return found?.map(\.file) ?? []
  }

  /// Parses the text of one profile, without the profiles that it extends.
  ///
  /// An empty text is an empty mode. `file` is the file's name in messages; without it they have
  /// `name`. A profile that extends another may lack values of that one, so this does not validate
  /// the mode as a whole. Throws the first problem of the text.
  public static func parse(
    _ text: String, name: String, file: String? = nil
  ) throws(SessionError) -> ParsedProfile {
    try parse(text, name: name, file: file, allowsSession: false)
  }

  /// Parses a profile, or a file of the store: it may have a `[session]` table
  /// (`ParsedProfile.session`).
  package static func parse(
    _ text: String, name: String, file: String? = nil, allowsSession: Bool
  ) throws(SessionError) -> ParsedProfile {
    let reader = ProfileReader(text, name: name, file: file, allowsSession: allowsSession)
    if let first = reader.diagnostics.first { throw first.sessionError }
    return reader.profile
  }

  /// Lists all problems of a file, or of the profile of a name, and of those that it extends, in the file's order.
  ///
  /// Empty for a good profile. Warnings are about keys without effect; `named` does not report
  /// them.
  package static func check(
    file: String, environment: [String: String] = processEnvironment
  ) -> [ProfileDiagnostic] {
    ProfileResolver(library: ProfileLibrary(environment: environment)).check(file)
  }

  /// Lists all problems that a text has as the profile of a name, once it is saved at a path.
  package static func check(
    _ text: String, as name: String, at path: String,
    environment: [String: String] = processEnvironment
  ) -> [ProfileDiagnostic] {
    let library = ProfileLibrary(environment: environment, draft: (name, path, text))
    return ProfileResolver(library: library).check(name)
  }

  /// Returns the unchanged text of a profile, for `profiles show`.
  package static func text(
    _ name: String, environment: [String: String] = processEnvironment
  ) throws(SessionError) -> String {
    let library = ProfileLibrary(environment: environment)
    do {
      return try library.text(of: library.locate(name))
    } catch {
      throw error.sessionError
    }
  }
}
