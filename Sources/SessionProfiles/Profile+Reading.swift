public import SessionCore

extension Profile {
  /// Finds and reads a profile, with what it extends.
  ///
  /// A name with a slash, or with `.toml` at its end where there is such a file, is a path; any
  /// other is looked up in `searchPath(environment:)` and then among the built-in ones, and the
  /// first found is taken even if it is broken. What `extends` names is looked up alike, and where
  /// that finds nothing, beside the file that says so.
  ///
  /// Throws with stage `configuration`: `profileNotFound` with the nearest names, `unknownKey`,
  /// `invalidValue` and what `AudioMode.validate()` throws; the message begins with
  /// `FILE:LINE:COLUMN:`. Reads files on the calling thread.
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

  /// Finds all for which `named(_:environment:)` throws, its error first; empty for a good profile.
  ///
  /// Where the profile or something that it extends has mistakes, those of the first such file.
  public static func problems(
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
  /// A broken one is listed too, with its error.
  public static func all(
    environment: [String: String] = processEnvironment
  ) -> [ProfileListing] {
    let library = ProfileLibrary(environment: environment)
    return library.all().map { found in
      do throws(ProfileDiagnostic) {
        let profile = try ProfileResolver(library: library).resolve(found)
        return ProfileListing(
          name: found.name, description: profile.description, source: found.source)
      } catch {
        return ProfileListing(name: found.name, source: found.source, error: error.sessionError)
      }
    }
  }

  /// Reads the text of one profile, before what it extends.
  ///
  /// An empty text is an empty wish. `file` is what messages call it; without one they say `name`.
  /// A profile that extends another may lack what that one has, so its wish as a whole is not
  /// checked here. Throws the first problem of the text.
  public static func parse(
    _ text: String, name: String, file: String? = nil
  ) throws(SessionError) -> ParsedProfile {
    try parse(text, name: name, file: file, allowsSession: false)
  }

  /// Reads what the store wrote: a profile with a `[session]` table (`ParsedProfile.session`).
  public static func parseStored(
    _ text: String, name: String, file: String? = nil
  ) throws(SessionError) -> ParsedProfile {
    try parse(text, name: name, file: file, allowsSession: true)
  }

  /// Finds all that is wrong with a file, in its order, and with what it extends.
  ///
  /// Empty for a good profile. Warnings are about what has no effect; `named` is silent on them.
  public static func check(
    file: String, environment: [String: String] = processEnvironment
  ) -> [ProfileDiagnostic] {
    ProfileResolver(library: ProfileLibrary(environment: environment)).check(file)
  }

  /// The text of a profile as it was written, for `profiles show`.
  public static func text(
    _ name: String, environment: [String: String] = processEnvironment
  ) throws(SessionError) -> String {
    let library = ProfileLibrary(environment: environment)
    do {
      return try library.text(of: library.locate(name))
    } catch {
      throw error.sessionError
    }
  }

  private static func parse(
    _ text: String, name: String, file: String?, allowsSession: Bool
  ) throws(SessionError) -> ParsedProfile {
    let reader = ProfileReader(text, name: name, file: file, allowsSession: allowsSession)
    if let first = reader.diagnostics.first { throw first.sessionError }
    return reader.profile
  }
}
