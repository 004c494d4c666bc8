import PulseTypes

/// Checks of the session in effect: its devices, its conflicts, and the process that maintained it.
let sessionChecks = [
  DoctorCheck(.killedHolder, killedHolder),
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
      "the process that maintained the session (\(holder.pid)) was killed",
      why:
        "Its settings stay, but nothing restores them after a replug, a restart of the server or "
        + "another program's change, and no stream holds the rate and the buffer.",
      .init(
        "Have the session maintained again; 'audiosession service install' also starts it at login.",
        command: "audiosession apply \(Words.quoted(state.profile ?? "PROFILE")) --keep"))
  ]
}

private func conflicts(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  guard let state = facts.state, state.active else { return [] }
  return state.conflicts.map { what in
    let opponents = state.events.reversed().lazy.compactMap { event -> [String]? in
      guard case .conflict(what, let opponents) = event.event else { return nil }
      return opponents
    }.first
    let likely = opponents ?? []
    return Finding(
      .conflict, .warning, object: likely.first,
      "another program keeps changing the \(what)",
      why: "The session restored it five times in five seconds, and leaves it to the other program "
        + "for a while.",
      .init(
        likely.isEmpty
          ? "End the program that changes it, then apply the profile again."
          : "End the program that changes it, then apply the profile again. Likely: "
            + "\(Words.list(likely, last: "or")).",
        command: "audiosession apply \(Words.quoted(state.profile ?? "PROFILE"))"))
  }
}

private func missingDevices(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  guard let state = facts.state, state.active else { return [] }
  return Direction.allCases.compactMap { direction in
    guard let first = facts.missingDevice(direction, snapshot) else { return nil }
    let isPending = state.properties[.device(direction)]?.verdict == .pending
    let used = snapshot.chain.defaultRoot(direction)?.name ?? "no device"
    return Finding(
      .missingDevice, isPending ? .warning : .note, object: first.description,
      "the preferred \(direction.rawValue) is not there: programs use \(used) instead",
      why: isPending
        ? "The profile names no other, so the session waits for it."
        : "The profile ends in 'default', so the session uses what else there is.",
      .init(
        "Plug it in and switch it on. Or choose another one in '\(direction.rawValue).prefer' of the "
          + "profile; these are there:", command: "audiosession devices"))
  }
}
