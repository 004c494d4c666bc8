internal import Glibc
internal import POSIX

/// Finds the programs that give a private server cards with profiles, ports and jacks: a module for
/// PulseAudio, a program for PipeWire.
///
/// Null devices have none of these. Both are built from this project's sources for tests, the
/// module for exactly the installed version of the server; nothing here builds them.
public enum SimulatedCard {
  /// The variable with the module's file, which is tried first. If no file exists at its path,
  /// there is no module, even if one exists elsewhere.
  public static let environmentVariable = "AUDIOSESSION_SIMULATED_CARD"

  /// The absolute path of the module for the installed server; nil if it has not been built.
  ///
  /// Looks for `.cache/simulated-card/VERSION/module-simulated-card.so` in each folder above the
  /// running program, then above the current directory.
  public static func modulePath() -> String? {
    if let path = ProcessEnvironment[environmentVariable] {
      return path.hasPrefix("/") && File.exists(path) ? path : nil
    }
    return serverVersion().flatMap { find(".cache/simulated-card/\($0)/module-simulated-card.so") }
  }

  /// The absolute path of the program that exports cards into PipeWire; nil if it has not been
  /// built. Looked up like the module; if a variable names the module's file, relative to the
  /// parent of that file's folder.
  public static func programPath() -> String? {
    let file = "pipewire/simulated-card"
    guard let module = ProcessEnvironment[environmentVariable] else {
      return find(".cache/simulated-card/\(file)")
    }
    let program = ancestors(of: module).dropFirst(2).first.map { "\($0)/\(file)" }
    return program.flatMap { module.hasPrefix("/") && File.exists($0) ? $0 : nil }
  }

  /// The absolute path of the plugin that gives the cards' devices the rate of PipeWire's graph,
  /// beside the program; nil if it has not been built, and the cards have null sinks with their own
  /// rates.
  static func pluginPath() -> String? {
    let folder = programPath().flatMap { ancestors(of: $0).dropFirst().first }
    return folder.map { $0 + "/simulated-node.so" }.flatMap { File.exists($0) ? $0 : nil }
  }

  /// A file below a folder above the running program, or above the current directory.
  private static func find(_ file: String) -> String? {
    [File.programFolder, File.real(".")].lazy.compactMap { start in
      start.flatMap { ancestors(of: $0).first { File.exists("\($0)/\(file)") } }
    }.first.map { "\($0)/\(file)" }
  }

  /// The version from the name of the server's library; running the program would be slower.
  static func serverVersion() -> String? {
    let root = ServerProgram.root ?? ""
    let folders = ["/usr/lib/*/pulseaudio", "/usr/lib/pulseaudio", "/usr/lib64/pulseaudio"]
    let path = folders.lazy.flatMap { glob(root + $0 + "/libpulsecore-*.so") }.first
    let name = path?.split(separator: "/").last?.dropFirst("libpulsecore-".count)
    return name.map { String($0.dropLast(".so".count)) }
  }

  static func ancestors(of folder: String) -> [String] {
    var parts = folder.split(separator: "/")
    var result: [String] = []
    while !parts.isEmpty {
      result.append("/" + parts.joined(separator: "/"))
      parts.removeLast()
    }
    return result
  }

  private static func glob(_ pattern: String) -> [String] {
    var result = glob_t()
    defer { globfree(&result) }
    guard Glibc.glob(pattern, 0, nil, &result) == 0 else { return [] }
    return (0..<Int(result.gl_pathc)).compactMap { index in
      result.gl_pathv[index].map { String(cString: $0) }
    }
  }
}
