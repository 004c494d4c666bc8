import PulseTypes

/// Checks of settings that direct this user's programs elsewhere, and of the session's leftovers.
let clientChecks = [
  DoctorCheck(offline: .environment, environment),
  DoctorCheck(offline: .cookie, cookie),
  DoctorCheck(offline: .autospawn, autospawn),
  DoctorCheck(offline: .damagedStore, damagedStore),
  DoctorCheck(offline: .unwritableStore, unwritableStore),
  DoctorCheck(.staleMode, staleMode),
  DoctorCheck(.staleBaseline, staleBaseline),
  DoctorCheck(.leftover, leftovers),
]

private let deviceVariables = [
  ("PULSE_SINK", Direction.output, "play to"), ("PULSE_SOURCE", .input, "record from"),
]
private let hintVariables = [
  "PULSE_LATENCY_MSEC", "PIPEWIRE_LATENCY", "PIPEWIRE_QUANTUM", "PIPEWIRE_RATE", "PIPEWIRE_NODE",
]

private func environment(_ facts: MachineFacts) -> [Finding] {
  let devices = deviceVariables.compactMap { name, direction, verb -> Finding? in
    guard let value = facts.variables[name] else { return nil }
    let isName = !value.hasPrefix("@") && UInt32(value) == nil
    let isMissing = facts.snapshot.map { $0.device(direction, named: value) == nil } ?? false
    let effect =
      isName && isMissing
      ? "cannot \(verb) it, because there is no such \(direction.rawValue): \(value)"
      : "\(verb) \(value)"
    return Finding(
      .environment, .warning, object: name, "\(name) is set: programs started here \(effect)",
      why:
        "It takes precedence over the default device, without a message: the preferred one is not used.",
      .init("Unset it, here and where it is set at login.", command: "unset \(name)"))
  }
  let hints = hintVariables.compactMap { name -> Finding? in
    guard let value = facts.variables[name] else { return nil }
    return Finding(
      .environment, .note, object: name,
      "\(name) is set to \(value) for programs started here",
      why: "Each of their streams asks for that, besides what the session asks for.",
      .init("Unset it, here and where it is set at login.", command: "unset \(name)"))
  }
  let settings = [("default-source", "record from"), ("default-sink", "play to")]
  let lines = settings.compactMap { key, verb -> Finding? in
    guard let line = facts.clientSettings[key], !line.value.isEmpty else { return nil }
    return Finding(
      .environment, .warning, object: key, "all programs of this user \(verb) \(line.value)",
      why: "The setting takes precedence over the default device, without a message.",
      .init(
        "Take the line out of the file.", file: line.place, line: "\(key) = \(line.value)"))
  }
  return devices + hints + lines
}

private func cookie(_ facts: MachineFacts) -> [Finding] {
  guard facts.snapshot?.has(.noCookie) != true, let (path, state) = facts.cookie else {
    return []
  }
  // A server that answers has not asked for it.
  let isNeeded =
    facts.snapshot == nil
    && (facts.address.hasPrefix("tcp") || facts.unreachable?.code == .accessDenied)
  let severity: Finding.Severity = isNeeded ? .problem : .note
  let why =
    "A client without the right cookie is refused by a server over a network"
    + " or of another user."
  let copy = "Copy the server's, \(path) of the user it runs as."
  func finding(
    _ severity: Finding.Severity, _ message: String, _ why: String, _ remedy: Finding.Remedy
  ) -> [Finding] {
    [Finding(.cookie, severity, object: path, message, why: why, remedy)]
  }
  switch state {
  case .good: return []
  case .missing: return finding(severity, "the cookie is not there", why, .init(copy))
  case .unreadable(let reason):
    return finding(
      severity, "the cookie cannot be read: \(reason)", why,
      .init("Let its owner read it.", command: "chmod 600 \(Words.quoted(path))"))
  case .wrongSize(let bytes):
    return finding(
      severity, "the cookie has \(bytes) bytes and not 256", why,
      .init("Name the right file in PULSE_COOKIE. Where there is none, programs make a new one."))
  case .exposed(let mode):
    return finding(
      .warning, "others may read the cookie: its mode is 0\(String(mode, radix: 8))",
      "Anyone with the cookie can use the server: record, and change what the session sets.",
      .init("Keep it to its owner.", command: "chmod 600 \(Words.quoted(path))"))
  }
}

private func autospawn(_ facts: MachineFacts) -> [Finding] {
  guard let line = facts.clientSettings["autospawn"], !facts.isRoot, line.isYes else { return [] }
  let isBeside = facts.snapshot?.has(.besidePulseAudio) == true
  return [
    Finding(
      .autospawn, isBeside ? .warning : .note, object: "autospawn",
      "any program starts PulseAudio where no server answers",
      why: isBeside
        ? "While PipeWire restarts, a PulseAudio would come up beside it and take the card."
        : "A server that was stopped comes back with the variables of whichever program asked "
          + "first, and not as the service starts it.",
      .init(
        "Let the service start it.", file: line.place, line: "autospawn = no"))
  ]
}

private func damagedStore(_ facts: MachineFacts) -> [Finding] {
  facts.damaged.map { error in
    let path = error.value.map(Words.quoted)
    // One that cannot be read may be whole, and 'revert' needs what is in it.
    let isRead = error.value.map { error.message.hasPrefix("\($0) is damaged") } ?? true
    return Finding(
      .damagedStore, .problem, object: error.value, error.message,
      why: "The session does not know the applied mode, or the settings from before it.",
      isRead
        ? Finding.Remedy(
          "Apply a profile: that sets a damaged file aside. Or remove it.",
          command: path.map { "rm \($0)" })
        : Finding.Remedy(
          "Make it readable, and keep it: 'revert' needs it. If it belongs to another user, such as"
            + " root, change its owner with chown instead.",
          command: path.map { "chmod u+rw \($0)" }))
  }
}

private func unwritableStore(_ facts: MachineFacts) -> [Finding] {
  facts.unwritable.map { path, error in
    let way =
      error.kind == .full ? "Make room there" : "Make it a folder in which you can write"
    return Finding(
      .unwritableStore, .problem, object: path,
      "the session's files cannot be written in \(path): \(error.reason)",
      why: "Nothing can be applied: the settings from before are stored first.",
      .init("\(way), or set XDG_STATE_HOME to another folder."))
  }.map { [$0] } ?? []
}

private func staleMode(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  guard let state = facts.state, state.active, state.holder == nil else { return [] }
  let lost = Property.reported.filter { name in
    guard let report = state.properties[name] else { return false }
    // What waits for something else may not have been in effect yet.
    return report.verdict == .overridden
      || report.verdict == .pending && [.device, .profile].contains(report.waitingFor)
  }
  guard !lost.isEmpty else { return [] }
  let name = state.profile.map { "the profile '\($0)'" } ?? "a mode"
  return [
    Finding(
      .staleMode, .warning, object: state.profile,
      "\(name) is applied and not maintained, and is not in effect: "
        + Words.list(lost.map(\.row.label)),
      why:
        "Without a holder nothing is restored after a replug, a restart or another program's change.",
      .init(
        "Apply it with a holder, or go back with "
          + "'\(Words.command("audiosession revert", on: facts.namedServer))'.",
        command: "audiosession \(state.keepCommand)",
        file: facts.storeFiles[.mode]))
  ]
}

private func staleBaseline(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  let gone = facts.baseline.valid(for: snapshot).entries.filter { entry in
    entry.isChange && !entry.isConsequence && snapshot.value(of: entry.setting) == nil
  }
  guard !gone.isEmpty, facts.state?.active != true, !facts.isModeUnknown else { return [] }
  let objects = Set(gone.map(\.setting.object)).sorted()
  return [
    Finding(
      .staleBaseline, .note, object: objects.first,
      (gone.count == 1
        ? "1 change of an earlier session is" : "\(gone.count) changes of an earlier session are")
        + " not undone: \(Words.list(objects)) \(objects.count == 1 ? "is" : "are") not there",
      why: "When the device is plugged in again, it has what the session set.",
      .init(
        "Plug it in and run the command, or forget them with "
          + "'\(Words.command("audiosession revert --forget", on: facts.namedServer))'.",
        command: "audiosession revert", file: facts.storeFiles[.baseline]))
  ]
}

private func leftovers(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  guard facts.state?.active != true, facts.state?.holder == nil, !facts.isModeUnknown else {
    return []
  }
  return Direction.allCases.flatMap { snapshot.chain.ownedDevices($0) }.map { device in
    Finding(
      .leftover, .warning, object: device.name,
      "a device of an earlier session is still there, and no mode asks for it",
      why: "It keeps its hardware running, which blocks a change of the rate and suspending.",
      .init(
        "Remove it.",
        command: snapshot.module(of: device).map { "pactl unload-module \($0.index.rawValue)" }
          ?? "audiosession revert"))
  }
}
