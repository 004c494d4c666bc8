import ArgumentParser
import AudioSession
import JSONCoding
import POSIX

struct RevertCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "revert",
    abstract: "Restore the settings from before the first apply.",
    discussion: """
      Restores each setting that still has the value that a session gave it. Settings that you or \
      another program changed since are left alone and listed. Settings of a device that is \
      unplugged, or that you or another program removed with the profile of its card, are listed, \
      too, and restored when the device returns: by the process that maintains the session, or by \
      'revert' then. What the server refuses to restore is listed, too, and the exit \
      status is 71; the rest is restored, and the next 'revert' tries again, unless with --forget, which \
      lists what it forgets. If everything is restored, but that cannot be stored, or if the stored \
      settings from before are damaged, the exit status is 74.

      JSON: schema; steps, as of 'apply'; left.
      """)

  @Flag(help: "Forget what cannot be restored now, such as the gain of an unplugged device.")
  var forget = false

  @Flag(help: "End the process that maintains the session afterwards, as 'stop' does.")
  var stop = false

  var activity: String? { "restoring the former settings" }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  mutating func setPlain(_ operands: [String]) -> Bool {
    (forget, stop) = (false, false)
    return operands.isEmpty
  }

  func run(_ context: Context) async throws -> Status {
    let hooks = Hooks(options: options, output: context.output)
    let forget = forget
    let (report, ending, snapshot) = try await context.withSession(hooks: hooks) { session in
      let (report, ending) = try await Interruption.cancelling {
        let report = try await session.revert(forgetsUnplugged: forget)
        // A failure must not hide what was reverted.
        return (report, await outcome { try await stop ? StopCommand.stop(session, options) : nil })
      }
      return (report, ending, try? await session.snapshot())
    }
    try context.output.result(json: ["steps": report.items, "left": report.left]) {
      RevertView.lines(report, width: $0, names: context.names(snapshot))
    }
    for note in report.state.notes { context.output.warning(note) }
    if let stopped = try? ending.get() {
      context.output.note("stopped \(stopped.title)")
    } else if let holder = report.state.holder, holder.isCommand, !stop {
      let end = Words.command("audiosession stop", on: options.server)
      context.output.note(
        "\(holder.title) still runs, and maintains the next profile that is "
          + "applied; 'revert --stop' ends it, too; to end it: \(end)")
    }
    if case .failure(let error) = ending {
      return context.output.complain(Failure(error).error)
    }
    return report.revertStatus ?? .done
  }
}
