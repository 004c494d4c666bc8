import POSIX
import SessionCore

/// Completes profiles: follows `extends`, layers the modes, validates the result.
struct ProfileResolver {
  let library: ProfileLibrary

  /// The maximum number of profiles in a chain.
  static let limit = 32

  /// One profile of a chain of `extends`.
  private struct Link {
    var found: ProfileLibrary.Found
    var parsed: ParsedProfile
    /// Whether it changes the next profile in the chain instead of extending it.
    var isDropIn = false

    func diagnostic(
      _ message: String, at property: String, value: String? = nil,
      code: SessionError.Code = .invalidValue, alternatives: [String] = []
    ) -> ProfileDiagnostic {
      ProfileDiagnostic(
        message, file: found.file, at: parsed.places[property]?.position, property: property,
        value: value,
        code: code, alternatives: alternatives)
    }
  }

  /// Problems, of which the first is the error; never empty.
  private struct Mistakes: Error {
    var all: [ProfileDiagnostic]

    init(_ first: ProfileDiagnostic) { all = [first] }

    /// Nil without an error.
    init?(_ all: [ProfileDiagnostic]) {
      guard !all.isEmpty else { return nil }
      self.all = all
    }
  }

  /// Reads a profile with everything it extends; throws the first problem.
  func resolve(_ found: ProfileLibrary.Found) throws(ProfileDiagnostic) -> Profile {
    do {
      return try whole(found)
    } catch {
      throw error.all[0]
    }
  }

  /// All problems for which `resolve` throws: those of the first file with mistakes, of all
  /// drop-ins of one profile, or of the whole.
  func problems(_ found: ProfileLibrary.Found) -> [ProfileDiagnostic] {
    do {
      _ = try whole(found)
      return []
    } catch {
      return error.all
    }
  }

  private func whole(_ found: ProfileLibrary.Found) throws(Mistakes) -> Profile {
    let itself = try link(found)
    let chain = try chain(from: itself)
    let mode = layered(chain)
    // A profile that nothing adds to was checked when it was read.
    if chain.count > 1, let mistakes = Mistakes(problems(of: mode, chain)) { throw mistakes }
    let own = chain.prefix { $0.isDropIn } + [itself]
    return Profile(
      name: found.name, description: own.lazy.compactMap(\.parsed.description).first, mode: mode,
      match: ProfileMatch(
        inputs: own.lazy.compactMap(\.parsed.matchInputs).first ?? [],
        outputs: own.lazy.compactMap(\.parsed.matchOutputs).first ?? []),
      source: found.source, extends: itself.parsed.extends)
  }

  /// All problems of a file, its own first.
  func check(_ file: String) -> [ProfileDiagnostic] {
    var own: [ProfileDiagnostic] = []
    do throws(ProfileDiagnostic) {
      // A file of the current folder is meant where no profile has its name; a folder never is.
      let isPath =
        file.contains("/") || file.hasSuffix(".toml")
        || File.status(file)?.isFolder == false && (try? library.locate(file)) == nil
      let found = isPath ? library.file(file) : try library.locate(file)
      let reader = ProfileReader(
        try library.text(of: found), name: found.name, file: found.file,
        isPart: found.isPart)
      own = reader.diagnostics
      let link = Link(found: found, parsed: reader.profile)
      return own
        + others(link, assuming: Set(own.compactMap { $0.property.flatMap(Property.init) }))
        .filter { !own.contains($0) }
    } catch {
      return [error]
    }
  }

  /// The problems of a file that result from what it extends, and the warnings.
  private func others(_ link: Link, assuming failed: Set<Property>) -> [ProfileDiagnostic] {
    do throws(Mistakes) {
      let chain = try chain(from: link)
      let mode = layered(chain)
      let isWhole = chain.count > 1 && !link.found.isPart
      let whole = isWhole ? problems(of: mode, chain, assuming: failed) : []
      return whole + warnings(of: mode, link)
    } catch {
      let first = error.all[0]
      let own = [link.found] + ((try? library.dropIns(of: link.found)) ?? [])
      guard let base = link.parsed.extends.map({ Text.visible($0) }),
        !own.contains(where: { $0.file == first.file })
      else { return error.all }
      return [
        link.diagnostic(
          "extends \"\(base)\": \(first.sessionError.message)", at: "extends", value: base,
          code: first.code)
      ]
    }
  }

  private func link(
    _ found: ProfileLibrary.Found, isDropIn: Bool = false
  ) throws(Mistakes) -> Link {
    let text: String
    do {
      text = try library.text(of: found)
    } catch {
      throw Mistakes(error)
    }
    let reader = ProfileReader(text, name: found.name, file: found.file, isPart: isDropIn)
    if let mistakes = Mistakes(reader.diagnostics) { throw mistakes }
    return Link(found: found, parsed: reader.profile, isDropIn: isDropIn)
  }

  /// The drop-ins of a profile; throws the mistakes of all of them.
  private func dropIns(of link: Link) throws(Mistakes) -> [Link] {
    var (links, mistakes): ([Link], [ProfileDiagnostic]) = ([], [])
    let parts: [ProfileLibrary.Found]
    do throws(ProfileDiagnostic) { parts = try library.dropIns(of: link.found) } catch {
      throw Mistakes(error)
    }
    for found in parts {
      do throws(Mistakes) {
        let part = try self.link(found, isDropIn: true)
        links.append(part)
        guard let base = part.parsed.extends else { continue }
        mistakes.append(
          part.diagnostic(
            "a drop-in changes \(Text.visible(link.found.name)) and cannot extend another profile",
            at: "extends", value: base))
      } catch {
        mistakes += error.all
      }
    }
    if let mistakes = Mistakes(mistakes) { throw mistakes }
    return links
  }

  /// The profile and those it extends, the nearest first; each preceded by its drop-ins.
  private func chain(from first: Link) throws(Mistakes) -> [Link] {
    var chain = try dropIns(of: first) + [first]
    while let last = chain.last, let base = last.parsed.extends {
      let found = try locate(base, of: last)
      let known = chain.map(\.found.identity)
      guard chain.count(where: { !$0.isDropIn }) < ProfileResolver.limit else {
        let message = "extends more than \(ProfileResolver.limit) deep"
        throw Mistakes(last.diagnostic(message, at: "extends", value: base))
      }
      guard !known.contains(found.identity) else {
        let names = (chain.map(\.found.name) + [found.name]).map { Text.visible($0) }
        throw Mistakes(
          last.diagnostic(
            "a profile that extends itself: \(names.joined(separator: " → "))", at: "extends",
            value: base))
      }
      let base = try link(found)
      chain += try dropIns(of: base) + [base]
    }
    return chain
  }

  /// Finds a base, or reports at its position in the file that there is none.
  private func locate(_ base: String, of link: Link) throws(Mistakes) -> ProfileLibrary.Found {
    do {
      return try library.locate(base: base, of: link.found)
    } catch {
      throw Mistakes(
        link.diagnostic(
          error.message, at: "extends", value: base, code: error.code,
          alternatives: error.alternatives))
    }
  }

  private func layered(_ chain: [Link]) -> AudioMode {
    chain.dropFirst().reduce(chain[0].parsed.mode) { $0.layered(over: $1.parsed.mode) }
  }

  /// The problems of the whole, each in the file that causes it.
  private func problems(
    of mode: AudioMode, _ chain: [Link], assuming failed: Set<Property> = []
  ) -> [ProfileDiagnostic] {
    mode.problems(assuming: failed).map { error, property in
      let link =
        chain.first { link in
          property.flatMap { link.parsed.places[$0.rawValue] } != nil
        } ?? chain[0]
      return link.parsed.diagnostic(error, property)
    }
  }

  /// The keys of the file without effect.
  private func warnings(of mode: AudioMode, _ link: Link) -> [ProfileDiagnostic] {
    var warnings: [ProfileDiagnostic] = []
    func warn(_ property: Property, _ message: String) {
      guard link.parsed.places[property.rawValue] != nil else { return }
      var warning = link.diagnostic(message, at: property.rawValue)
      warning.severity = .warning
      warnings.append(warning)
    }
    func key(_ property: Property) -> String { property.row.key }
    for hint in Hint.allCases
    where mode.strict?.contains(hint) == true && !hint.property.row.isSet(mode) {
      warn(
        .strict,
        "\(key(.strict)) names \"\(hint.rawValue)\", but no \(key(hint.property)) is set")
    }
    if !mode.cancelsEcho {
      let place = mode.mode.map { "in the mode \"\($0.rawValue)\"" } ?? "without the mode of a call"
      for property in [Property.echoCanceller, .unloadsIdleEchoCanceller] {
        warn(property, "\(key(property)) has no effect \(place)")
      }
    }
    if mode.gainLock == true, mode.inputGain == nil {
      warn(
        .gainLock, "\(Property.gainLock.row.name) has no gain to hold; set \(key(.inputGain))")
    } else if mode.gainLock == true, mode.reapply == .never {
      warn(
        .gainLock,
        "\(Property.gainLock.row.name) has no effect beside \(key(.reapply)) = \"never\"")
    }
    return warnings
  }
}
