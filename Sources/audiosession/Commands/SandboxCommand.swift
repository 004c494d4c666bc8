import ArgumentParser
import Glibc
import JSONCoding
import POSIX
import PulseSandbox
import PulseTypes
import SessionProfiles

struct SandboxCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "sandbox",
    abstract: "Run a shell, or a command, inside a private server with demo devices.",
    usage: """
      audiosession sandbox [--pipewire] [--json] [-- <command> ...]
      audiosession sandbox simulate <subcommand>
      """,
    discussion: """
      Programs inside use that server, and its folder for their files; yours are left alone. Your \
      profiles can be applied inside, too. The server is removed when the command ends. The exit \
      status is the command's.

      JSON, one line before the command starts: schema, server, address, directory, environment, \
      command, simulatedCards, notice.
      """,
    subcommands: [SimulateCommand.self])

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("The command to run. (default: a shell)", valueName: "command"))
  var command: [String] = []

  var activity: String? { nil }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  static func printsLines(_ arguments: [String]) -> Bool { true }

  func validate() throws {
    guard options.server == nil else {
      throw ValidationError("sandbox starts a server of its own; leave --server out")
    }
  }

  func run(_ context: Context) async throws -> Status {
    let command = command.isEmpty ? [ProcessEnvironment["SHELL"] ?? "/bin/sh"] : command
    // Until it has started, a signal ends this process, and with it the server.
    let sandbox = try await PulseSandbox.start(.demo(on: options.sandboxServer))
    return try await Interruption.leavingKeyboard {
      let result = await outcome {
        if context.output.isJSON {
          let result: JSONObject = [
            "schema": 1, "server": sandbox.configuration.server, "address": sandbox.address,
            "directory": sandbox.directory, "environment": sandbox.environment, "command": command,
            "simulatedCards": sandbox.hasSimulatedCards, "notice": sandbox.notice,
          ]
          try context.output.json(result, isOneLine: true)
        } else if let notice = sandbox.notice {
          context.output.note(notice)
        }
        if self.command.isEmpty, isatty(0) == 1 { Self.greet(sandbox, context.output) }
        let end = self.command.isEmpty && !isIgnored(SIGHUP) ? SIGHUP : SIGTERM
        let status = try await sandbox.run(
          command, environment: Self.environment, endingWith: end)
        return Status(rawValue: status)
      }
      await sandbox.close()
      return try result.get()
    }
  }

  /// What a person at a shell's prompt needs to know.
  private static func greet(_ sandbox: PulseSandbox, _ output: Output) {
    let isPipeWire = sandbox.configuration.server == .pipewire
    let server = isPipeWire ? "PipeWire" : "PulseAudio"
    // Null devices of PipeWire stay.
    let microphone =
      sandbox.hasSimulatedCards
      ? "alsa_card.usb-Example_USB_Microphone-00"
      : isPipeWire ? nil : "usb_mic"
    let unplug = microphone.map { "'audiosession sandbox simulate unplug \($0)', " } ?? ""
    output.hint(
      "this shell is in a sandbox: a private \(server) server with demo devices. Your own sound server "
        + "is left alone. 'exit' leaves it, and removes the server with its files")
    output.hint(
      "try: 'audiosession apply podcast --keep', \(unplug)'audiosession state'")
  }

  /// This process's environment with the program's own folder first in `PATH`, so that
  /// `audiosession` inside is this program, and with the folder of the user's profiles.
  private static var environment: [String: String] {
    var result = ProcessEnvironment.all
    result["PATH"] = File.programFolder + ":" + (result["PATH"] ?? "/usr/bin:/bin")
    let outer = Profile.outerFolderVariable
    result[outer] = result[outer] ?? Profile.userFolder()
    return result
  }
}
