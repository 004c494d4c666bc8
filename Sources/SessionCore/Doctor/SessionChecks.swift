import PulseTypes

/// Checks of the session in effect: its devices, its conflicts, and the process that maintained it.
let sessionChecks = [
  DoctorCheck(.killedHolder, killedHolder),
  DoctorCheck(.stoppedHolder, stoppedHolder),
  DoctorCheck(.conflict, conflicts),
  DoctorCheck(.missingDevice, missingDevices),
]

private func killedHolder(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  guard let holder = facts.killedHolder, let state = facts.state, state.active,
    state.holder == nil
  else { return [] }
  return [
    Finding(
      .killedHolder, .warning, object: holder.name,
      "the process that maintained the session (\(holder.pid)) was killed, or ended without closing it",
      why:
        "Its settings stay, but nothing restores them after a replug, a restart of the server or "
        + "another program's change, and no stream holds the rate and the buffer.",
      .init(
        "Have the session maintained again; 'audiosession service install' also starts it at login.",
        command: "audiosession \(state.keepCommand)"))
  ]
}

private func stoppedHolder(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  guard let holder = facts.stoppedHolder else { return [] }
  return [
    Finding(
      .stoppedHolder, .warning, object: holder.name,
      "\(holder.title), which has the session, is stopped, by Ctrl-Z perhaps",
      why: "Until it continues, nothing is restored, and other commands wait for it in vain.",
      .init("Let it continue.", command: "kill -CONT \(holder.pid)"))
  ]
}

private func conflicts(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  guard let state = facts.state, state.active else { return [] }
  return state.conflicts.map { what in
    let (likely, end) = state.conflict(about: what)
    return Finding(
      .conflict, .warning, object: likely.first,
      "another program keeps changing the \(what)",
      why: "The session restored it five times in a row, and leaves it to the other program "
        + (end.map { "until \($0)." } ?? "for a while."),
      .init(
        likely.isEmpty
          ? "End the program that changes it, then apply the profile again."
          : "End the program that changes it, then apply the profile again. Likely: "
            + "\(Words.list(likely, last: "or")).",
        command: state.applyCommand.map { "audiosession " + $0 }))
  }
}

private func missingDevices(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  guard let state = facts.state, state.active else { return [] }
  return Direction.allCases.compactMap { direction in
    guard let report = state.properties[.device(direction)], let first = report.absent else {
      return nil
    }
    let root = snapshot.chain.defaultRoot(direction)
    let used = root.flatMap { snapshot.isDummy($0) ? nil : $0.name } ?? "no device"
    let why =
      switch report.verdict {
      case .applied:
        "The profile names others behind it, and the session uses the first that is there."
      case .pending where state.holder == nil:
        "None that the profile names is there, and no process waits for one."
      case .pending: "None that the profile names is there, so the session waits for one."
      default: "The device in use is none that the profile names, or a later one."
      }
    return Finding(
      .missingDevice, report.verdict == .pending ? .warning : .note, object: first,
      "the profile's first choice of the \(direction.rawValue) is not connected: programs use \(used)",
      why: why,
      .init(
        "Plug it in and switch it on. Or choose another one in '\(direction.rawValue).prefer' of the "
          + "profile; these are there:", command: "audiosession devices"))
  }
}
