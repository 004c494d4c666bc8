import POSIX

extension Profile {
  /// The variable with the folder of the user's profiles, for programs in a sandbox: they read it,
  /// but write below the sandbox's own `XDG_CONFIG_HOME`.
  package static let outerFolderVariable = "AUDIOSESSION_PROFILES"

  /// The environment variables that determine the folders of profiles.
  public static var processEnvironment: [String: String] {
    let names = ["HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", outerFolderVariable]
    return Dictionary(
      uniqueKeysWithValues: names.compactMap { name in
        ProcessEnvironment[name].map { (name, $0) }
      })
  }

  /// The user's folder of profiles; nil without a home.
  public static func userFolder(environment: [String: String] = processEnvironment) -> String? {
    // The XDG specification requires relative paths to be ignored.
    if let home = environment["XDG_CONFIG_HOME"], home.hasPrefix("/") { return folder(in: home) }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return folder(in: home + "/.config")
  }

  /// The folders in which profiles are looked up, in order of priority; the built-in ones come
  /// last.
  public static func searchPath(environment: [String: String] = processEnvironment) -> [String] {
    var folders = [userFolder(environment: environment), environment[outerFolderVariable]]
      .compactMap { $0 }
    let listed = environment["XDG_CONFIG_DIRS"] ?? ""
    for base in (listed.isEmpty ? "/etc/xdg" : listed).split(separator: ":")
    where base.hasPrefix("/") {
      folders.append(folder(in: String(base)))
    }
    return folders + [folder(in: "/usr/share")]
  }

  private static func folder(in base: String) -> String {
    (base.hasSuffix("/") ? base : base + "/") + "audiosession/profiles"
  }
}
