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
    ProcessEnvironment.configFolder { environment[$0] }.map(folder)
  }

  /// The folders in which profiles are looked up, in order of priority; the built-in ones come
  /// last.
  public static func searchPath(environment: [String: String] = processEnvironment) -> [String] {
    let own = [userFolder(environment: environment), environment[outerFolderVariable]]
    let system = ProcessEnvironment.systemConfigFolders { environment[$0] } + ["/usr/share"]
    return own.compactMap { $0 } + system.map(folder)
  }

  private static func folder(in base: String) -> String {
    (base.hasSuffix("/") ? base : base + "/") + "audiosession/profiles"
  }
}
