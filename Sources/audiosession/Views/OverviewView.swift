import AudioSession

/// What `audiosession` without a command prints: the devices in use, the session, and what to do next.
enum OverviewView {
  /// - Parameter address: the server that was named, for the commands.
  static func lines(
    _ state: SessionState, width: Int?, names: DeviceNames = .init([]), on address: String? = nil
  ) -> [Line] {
    var lines: [Line] = []
    if state.server != nil {
      lines += StateView.fact("input", names.list(state.route.inputs), width)
      lines += StateView.fact("output", names.list(state.route.outputs), width)
    }
    lines += StateView.fact("session", session(state), width)
    for note in state.notes { lines += StateView.fact("note", note, width) }
    lines += [.empty, Line("What you can do next:", .bold)]
    let rows = next(state).map { step in
      let server = serverless.contains(step.command) ? nil : address
      return (Words.command("audiosession " + step.command, on: server), step.effect)
    }
    return lines + Layout.pairs(rows, width: width)
  }

  private static func session(_ state: SessionState) -> String {
    guard state.hasMode else {
      guard let holder = state.holder else { return "none; nothing is maintained" }
      return "none; \(holder.title) waits for a profile"
    }
    var name = state.profile.map { "profile \($0)" } ?? "a mode without a profile"
    if !state.active { name += ", not active" }
    guard state.server != nil else {
      return name
        + (state.holder.map { ", for which \($0.title) waits for the server" }
          ?? ", stored for the next server")
    }
    let unmet = Property.reported.filter {
      // A hint that was granted, and is no longer held, is no fault.
      guard let report = state.properties[$0] else { return false }
      return report.isUnmet && !(report.waitingFor == .holder && Hint.properties.contains($0))
    }
    if !unmet.isEmpty {
      name += ", not in effect: \(unmet.map(\.row.label).joined(separator: ", "))"
    }
    let holder = state.holder.map { "maintained by \($0.title)" }
    return name + "; " + (holder ?? "no running process maintains it")
  }

  /// A command of this program, and what it does.
  private typealias Next = (command: String, effect: String)

  /// The commands that ask no server, or one of their own.
  private static let serverless = ["demo", "help", "profiles"]

  private static func next(_ state: SessionState) -> [Next] {
    guard state.server != nil else {
      return [
        ("doctor", "find out why no server answers"),
        ("demo", "see a session at work in a private server"),
        ("help", "list all commands"),
      ]
    }
    guard state.hasMode else {
      return [
        ("doctor", "find what interferes with a stable setup"),
        ("profiles", "list the profiles that can be applied"),
        ("apply podcast --keep", "apply one, and maintain it"),
      ]
    }
    let show: Next = ("state", "show preferred and actual settings")
    guard let holder = state.holder else {
      return [show, (state.keepCommand, "maintain it from now on"), revert]
    }
    return [
      show,
      state.restoreCommand.map { ($0, "restore what was changed since") }
        ?? ("verify", "record, and measure whether they are in effect"),
      holder.isCommand ? ("stop", "end the process that maintains them") : revert,
    ]
  }

  private static var revert: Next { ("revert", "restore the settings from before") }
}

extension SessionState {
  /// Whether a mode is stored that asks for something.
  var hasMode: Bool { properties.values.contains { $0.verdict != .unset } }

  /// The command that restores what was changed and stays until then; nil without anything: what depends
  /// on a device that is awaited, or on what other streams ask for, is none.
  var restoreCommand: String? {
    let isWaiting = Direction.allCases.contains { properties[.device($0)]?.verdict == .pending }
    let isChanged = properties.contains { name, report in
      report.verdict == .overridden && !Hint.properties.contains(name)
    }
    return isChanged && !isWaiting ? applyCommand : nil
  }
}
