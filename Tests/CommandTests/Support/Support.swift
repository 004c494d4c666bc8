import FoundationEssentials
import Glibc
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

extension PulseSandbox {
  /// Runs the program inside, with the sandbox's server, store and folder of profiles.
  ///
  /// It has more time than a user's program, as `$A` has: the machine may stand still for seconds.
  func audiosession(_ arguments: String...) async throws -> CommandResult {
    try await capture([builtProgram, "--timeout", "60s"] + arguments, timeout: .seconds(90))
  }

  /// Runs a shell script inside; `$A` is the program, unquoted.
  func shell(_ script: String) async throws -> CommandResult {
    // A loop that waits for a condition asks with pauses: many run at once.
    let prelude = "pause() { sleep 0.02; }\n"
    return try await capture(
      ["env", "A=\(builtProgram) --timeout 60s", "sh", "-c", prelude + script],
      timeout: .seconds(180))
  }

  /// Writes a profile where the program inside finds it by name.
  func write(profile name: String, _ text: String) throws {
    let config = try #require(environment["XDG_CONFIG_HOME"])
    for folder in ["/audiosession", "/audiosession/profiles"] { mkdir(config + folder, 0o700) }
    try Data(text.utf8).write(to: file("\(config)/audiosession/profiles/\(name).toml"))
  }

  /// Writes a file into the sandbox's folder; its path.
  ///
  /// Another process does it: what this one opens for writing is open for a moment in the children
  /// that other tests start, and the system runs no program that somebody writes ("text file busy").
  func write(file name: String, _ text: String) async throws -> String {
    let path = "\(directory)/\(name)"
    try Data(text.utf8).write(to: file(path + ".new"))
    let result = try await capture(["cp", path + ".new", path])
    try #require(result.status == 0, "\(result)")
    return path
  }

  private func file(_ path: String) -> URL { URL(filePath: path) }
}

/// Any JSON value, to look into.
enum JSON: Decodable, Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  init(_ text: String) throws {
    self = try JSONDecoder().decode(JSON.self, from: Data(text.utf8))
  }

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let array = try? value.decode([JSON].self) {
      self = .array(array)
    } else {
      self = .object(try value.decode([String: JSON].self))
    }
  }

  subscript(key: String) -> JSON? {
    if case .object(let object) = self { object[key] } else { nil }
  }

  var array: [JSON] { if case .array(let array) = self { array } else { [] } }
  var keys: Set<String> { if case .object(let object) = self { Set(object.keys) } else { [] } }
}

/// Profiles for the devices of `SandboxConfiguration.minimal`.
enum Profiles {
  static let podcast = """
    description = "A test"
    category = "record"
    [input]
    prefer = ["mic"]
    channel-map = "swap"
    gain = "80 %"
    """

  static let missing = """
    category = "record"
    [input]
    prefer = ["alsa_input.nowhere"]
    gain = "80 %"
    """
}
