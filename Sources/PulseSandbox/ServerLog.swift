internal import POSIX
internal import PulseTypes

/// The standard error of a server.
struct ServerLog: Sendable {
  let text: String

  /// Reads the log from a byte offset on; empty if there is none.
  init(path: String, from offset: Int = 0) {
    let bytes = (try? File.bytes(of: path, atMost: .max)) ?? []
    text = String(decoding: bytes.dropFirst(offset), as: UTF8.self)
  }

  init(text: String) { self.text = text }

  /// The last lines, for an error message.
  var tail: String {
    text.split(separator: "\n").suffix(6).joined(separator: "\n")
  }

  /// The first line of the configuration that failed, with the server's reasons. PulseAudio 16.1
  /// keeps running without the module, and reports it only in its log.
  func failure(in configuration: SandboxConfiguration) -> SandboxError? {
    if configuration.server == .pipewire { return pipewireFailure(in: configuration) }
    let errors = text.split(separator: "\n").filter { $0.hasPrefix("E: ") }
    for error in errors {
      guard let line = line(in: error, of: configuration) else { continue }
      return SandboxError(
        .configuration,
        "the server could not run the line '\(line)':\n" + errors.joined(separator: "\n"),
        remedy: "pulseaudio --dump-modules -v lists the modules and their arguments")
    }
    return nil
  }

  /// pipewire-pulse stops at the first line that fails, and names only the module.
  private func pipewireFailure(in configuration: SandboxConfiguration) -> SandboxError? {
    // [E][…] default | [ cmd.c: 70 do_cmd()] can't run command load-module NAME: …
    for error in text.split(separator: "\n") where error.hasPrefix("[E]") {
      guard let words = error.firstRange(of: "can't run command load-module ")
      else { continue }
      let name = error[words.upperBound...].prefix { $0 != ":" }
      let line = configuration.modules.first { $0.split(separator: " ").first == name }
      return SandboxError(
        .configuration, "the server could not run the line '\(line ?? String(name))':\n\(error)",
        remedy: "pipewire-pulse has fewer modules than PulseAudio, and other arguments")
    }
    return nil
  }

  /// The configuration's line that an error is about; nil if there is none.
  private func line(in error: Substring, of configuration: SandboxConfiguration) -> String? {
    // E: [pulseaudio] module.c: Failed to load module "NAME" (argument: "ARGUMENTS"): …
    // E: [pulseaudio] module.c: Failed to open module "NAME".
    let parts = error.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
    let isModule = ["module.c: Failed to load module ", "module.c: Failed to open module "]
      .contains { parts[0].hasSuffix($0) }
    if isModule, parts.count == 3 {
      let named = configuration.modules.filter {
        $0.split(whereSeparator: \.isWhitespace).first == parts[1]
      }
      let exact = named.first { line in
        let arguments = line.dropFirst(parts[1].count).drop(while: \.isWhitespace)
        return parts[2].hasPrefix(" (argument: \"\(arguments)\")")
      }
      // Or the sandbox's own; a client's is no failure of the start.
      let isOwn = parts[1].hasPrefix("module-native-protocol-")
      return exact ?? named.first ?? (isOwn ? String(parts[1]) : nil)
    }
    // E: [pulseaudio] main.c: Source nope does not exist. The server's own errors begin like that, too.
    let isCommand = error.hasPrefix("E: [pulseaudio] main.c: ") && !configuration.commands.isEmpty
    return isCommand ? configuration.commands.joined(separator: "; ") : nil
  }
}
