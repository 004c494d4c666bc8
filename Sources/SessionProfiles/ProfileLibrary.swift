import POSIX
import SessionCore

/// Finds profiles: files by path, folders in order, and the built-in ones.
struct ProfileLibrary {
  let environment: [String: String]
  /// The text of a profile that is to be saved under this name, at this path.
  var draft: (name: String, path: String, text: String)?

  /// A profile that was found but not read.
  struct Found {
    var name: String
    var source: ProfileSource
    /// Whether it was found by name instead of by path: only then it has drop-ins.
    var isNamed = true

    /// The file's name in messages.
    var file: String {
      switch source {
      case .file(let path): path
      case .builtIn: "\(name) (built-in)"
      }
    }

    /// Whether it is in a folder of drop-ins, whatever its path is called.
    var isPart: Bool {
      guard case .file(let path) = source else { return false }
      let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
      return File.real(folder)?.hasSuffix(ProfileLibrary.dropInSuffix) == true
    }

    /// Its unique identity.
    var identity: String {
      switch source {
      case .file(let path): File.real(path) ?? path
      case .builtIn: file
      }
    }
  }

  func locate(_ name: String) throws(ProfileDiagnostic) -> Found {
    if name.contains("/") || (name.hasSuffix(".toml") && File.exists(name)) {
      return file(name)
    }
    if let found = try find(name) { return found }
    throw notFound(name)
  }

  func file(_ path: String) -> Found {
    Found(name: stem(path), source: .file(path), isNamed: false)
  }

  /// The drop-ins of a profile, which change it without replacing it, in order of priority: those
  /// in `NAME.toml.d` of every folder, by name, the last first; of two with the same name, the one
  /// in the earlier folder.
  func dropIns(of profile: Found) throws(ProfileDiagnostic) -> [Found] {
    guard profile.isNamed else { return [] }
    var found: [String: Found] = [:]
    for folder in Profile.searchPath(environment: environment) {
      let folder = "\(folder)/\(profile.name)\(Self.dropInSuffix)"
      for file in try files(in: folder) {
        if found[file] == nil { found[file] = self.file("\(folder)/\(file)") }
      }
    }
    return found.sorted { $0.key > $1.key }.map(\.value)
  }

  /// The suffix of the folder of a profile's drop-ins.
  static let dropInSuffix = ".toml.d"

  /// Finds the base of a profile: by name, otherwise beside the file that extends it.
  func locate(base: String, of profile: Found) throws(ProfileDiagnostic) -> Found {
    guard case .file(let path) = profile.source else { return try locate(base) }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    if base.contains("/") {
      let target = base.hasPrefix("/") ? base : folder + base
      guard File.exists(target) else { throw notFound(base) }
      return file(target)
    }
    if let found = try find(base) { return found }
    for name in [base + ".toml", base] where name.hasSuffix(".toml") {
      if File.exists(folder + name) { return file(folder + name) }
    }
    throw notFound(base)
  }

  func text(of found: Found) throws(ProfileDiagnostic) -> String {
    switch found.source {
    case .file(let path) where path == draft?.path: draft?.text ?? ""
    case .file(let path): try TextFile.read(path)
    case .builtIn: BuiltIn.text(found.name) ?? ""
    }
  }

  /// Every profile once, by name, and the folders that cannot be read.
  func all() -> (found: [Found], unreadable: [ProfileDiagnostic]) {
    var found: [String: Found] = [:]
    var unreadable: [ProfileDiagnostic] = []
    for folder in Profile.searchPath(environment: environment) {
      do throws(ProfileDiagnostic) {
        for file in try files(in: folder) where found[stem(file)] == nil {
          found[stem(file)] = Found(name: stem(file), source: .file("\(folder)/\(file)"))
        }
      } catch {
        unreadable.append(error)
      }
    }
    for name in BuiltIn.names where found[name] == nil {
      found[name] = Found(name: name, source: .builtIn)
    }
    return (found.values.sorted { $0.name < $1.name }, unreadable)
  }

  /// The names of the files of profiles in a folder, in order; none if there is no such folder.
  private func files(in folder: String) throws(ProfileDiagnostic) -> [String] {
    let names: [String]
    do throws(SystemError) { names = try Folder.namesIfThere(folder) } catch {
      throw TextFile.failure(ofFolder: folder, error)
    }
    return names.filter { $0.hasSuffix(".toml") && $0.first != "." }.sorted()
  }

  private func find(_ name: String) throws(ProfileDiagnostic) -> Found? {
    guard !name.isEmpty, !name.hasPrefix("."), !name.contains("/") else { return nil }
    if let draft, draft.name == name { return Found(name: name, source: .file(draft.path)) }
    for folder in Profile.searchPath(environment: environment) {
      let path = "\(folder)/\(name).toml"
      // What cannot be seen, and a link to a file that is missing, is an error, and not another
      // profile of that name.
      do throws(SystemError) {
        if try File.isThere(path) { return Found(name: name, source: .file(path)) }
      } catch {
        throw TextFile.failure(ofFolder: folder, error)
      }
    }
    return BuiltIn.text(name).map { _ in Found(name: name, source: .builtIn) }
  }

  private func stem(_ path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return file.hasSuffix(".toml") && file.count > 5 ? String(file.dropLast(5)) : file
  }

  private func notFound(_ name: String) -> ProfileDiagnostic {
    let near = Text.nearest(stem(name), among: all().found.map(\.name))
    let hint =
      near.isEmpty ? "" : "; do you mean \(Words.list(near.map { "'\($0)'" }, last: "or"))?"
    let list = "'audiosession profiles' lists all"
    return ProfileDiagnostic(
      "there is no profile '\(Text.visible(name))'" + (hint.isEmpty ? "; " : hint + " ") + list,
      file: "", at: nil, property: "profile", value: Text.visible(name), code: .profileNotFound,
      alternatives: near)
  }
}
