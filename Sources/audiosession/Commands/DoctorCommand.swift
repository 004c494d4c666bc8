import ArgumentParser
import AudioSession
import JSONCoding
import PulseTypes

struct DoctorCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Find what interferes with the session, and how to fix it.",
    discussion: """
      Reads the server, its settings, the processes and the session's files, and changes nothing. \
      Each input that is not muted is recorded for half a second, and the recording is discarded. \
      The exit status is 0 if there is no problem and no warning, 3 if there is one; 69 if no server \
      answers, 75 if none does in time, 77 if it refuses this program: the checks that need no \
      server are made then, too.

      JSON: schema; server (null without one); findings, the worst first: severity (problem, \
      warning, note), code, object, message, why, remedy (text, command, file, line); checked and \
      skipped: the codes of the checks.
      """)

  @Flag(inversion: .prefixedNo, help: "Listen to the inputs for half a second.")
  var listen = true

  var activity: String? { "checking, and listening to the inputs" }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func run(_ context: Context) async throws -> Status {
    let end = ContinuousClock.now + options.timeout.duration
    let facts = try await context.withSession { session in
      var facts = try await session.machineFacts()
      if listen, let snapshot = facts.snapshot {
        let inputs = InputListening.inputs(snapshot)
        let recordings = await InputListening.recordings(
          inputs, server: facts.address, within: end - .now)
        facts.recordings = recordings
        facts.unrecorded = inputs.filter { name in !recordings.contains { $0.device == name } }
        for name in facts.unrecorded {
          context.output.note(
            "nothing could be recorded from \(context.names(snapshot)[name]) in time")
        }
      }
      return facts
    }
    let diagnosis = Diagnosis(facts)
    let server = facts.snapshot.map { snapshot in
      SessionState.Server(
        kind: snapshot.server.kind, name: snapshot.server.name, version: snapshot.server.version,
        address: facts.address)
    }
    try context.output.result(json: [
      "server": server, "findings": diagnosis.findings, "checked": diagnosis.checked,
      "skipped": diagnosis.skipped,
    ]) {
      DiagnosisView.lines(diagnosis, width: $0, names: context.names(facts.snapshot))
    }
    if let error = facts.unreachable { return Status(error) }
    // A note is good to know, and no fault.
    return diagnosis.findings.contains { $0.severity != .note } ? .unmet : .done
  }
}
