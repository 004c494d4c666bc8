import PulseTypes

/// Checks of the servers themselves.
let serverChecks = [
  DoctorCheck(offline: .serverUnreachable, serverUnreachable),
  DoctorCheck(.otherServer, otherServers),
  DoctorCheck(offline: .cardShared, cardShared),
  DoctorCheck(.sessionManager, sessionManager),
  DoctorCheck(.noDevice, missingHardware),
]

private func serverUnreachable(_ facts: MachineFacts) -> [Finding] {
  guard facts.snapshot == nil, let error = facts.unreachable else { return [] }
  let message: String
  let remedy: Finding.Remedy
  switch error.code {
  case .timedOut:
    message = "the server does not answer in time"
    // What does not run stays so: starting another server would end this one.
    remedy = .init(
      "It may be frozen: restart it.",
      command: "systemctl --user try-restart pipewire pipewire-pulse pulseaudio")
  case .accessDenied:
    message = "the server refuses this client"
    remedy = .init(
      "Give PULSE_COOKIE the path of the server's cookie, and run as the server's user.")
  case _ where error.property == SessionError.serverVariable:
    message = error.message
    remedy = .init("Unset it, or set it to a server's address.", command: "unset PULSE_SERVER")
  case .serverUnreachable, .serverLost:
    message = "no server answers"
    remedy = wayToServer(facts)
  default:
    message = error.message
    remedy = .init("Name another server with --server.")
  }
  return [
    Finding(
      .serverUnreachable, .problem, object: facts.address, message,
      why: "Without a server there is nothing to set up; a holder waits until one answers.", remedy)
  ]
}

/// How a server is found that listens elsewhere, or how one is started.
private func wayToServer(_ facts: MachineFacts) -> Finding.Remedy {
  if let folder = facts.unnamedRuntimeFolder {
    return .init(
      "XDG_RUNTIME_DIR is not set, so the user's server is not looked for: set it.",
      command: "export XDG_RUNTIME_DIR=\(folder)")
  }
  for socket in facts.sockets {
    guard let program = socket.program, !socketKeepers.contains(program.name) else { continue }
    return .init(
      "\(program.title) listens at \(socket.path): name it with --server or PULSE_SERVER.")
  }
  guard facts.isUsersServer else {
    let place = facts.serverHost.map { " on \($0)" } ?? ""
    return .init("Start it\(place), or name another with --server.")
  }
  return .init(
    "Start the one that this machine has, or name another with --server.",
    command: "systemctl --user start pipewire-pulse || pulseaudio --start")
}

/// Service managers that listen on a server's socket; they are not servers.
private let socketKeepers: Set<String> = ["systemd", "init"]

private func otherServers(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  // A private server, or one that was named, is beside the user's.
  guard facts.namedServer == nil else { return [] }
  // Which process answers on a host's port is not known: it may be the one that listens here, too.
  guard facts.server != nil || facts.address.isEmpty || facts.address.hasPrefix("unix:") else {
    return []
  }
  return facts.sockets.compactMap { socket in
    guard let program = socket.program, program.pid != facts.server?.pid,
      !socketKeepers.contains(program.name)
    else { return nil }
    let mine = facts.server?.title ?? "the server in use"
    return Finding(
      .otherServer, .warning, object: socket.path,
      "\(program.title) listens here, beside \(mine)",
      why: "Programs that find the other server play and record there: nothing that is set here "
        + "reaches them.",
      .init(
        "Stop one of the two, for good where it is a service.",
        command: program.name.hasPrefix("pipewire")
          ? "systemctl --user mask --now pipewire-pulse.socket pipewire-pulse.service"
          : "systemctl --user mask --now pulseaudio.socket pulseaudio.service"))
  }
}

/// The sound server to which a process with an open card belongs; nil for another program.
private func family(_ program: MachineFacts.Program) -> String? {
  switch program.name {
  case "pulseaudio": "PulseAudio"
  case "jackd", "jackdbus": "JACK"
  case "pipewire", "wireplumber", "pipewire-media-": "PipeWire"
  default: nil
  }
}

private func cardShared(_ facts: MachineFacts) -> [Finding] {
  // A card of their own disturbs no other program.
  let sharing = facts.cardUsers.filter { program in
    facts.cardUsers.contains { other in
      guard let one = family(program), let two = family(other) else { return false }
      return one != two && !program.cards.isDisjoint(with: other.cards)
    }
  }
  let families = Set(sharing.compactMap(family))
  guard families.count > 1 else { return [] }
  let programs = sharing.sorted { $0.pid < $1.pid }.map { "\($0.name) (\($0.pid))" }
  return [
    Finding(
      .cardShared, .problem,
      "\(Words.list(families.sorted())) have a sound card open at once: "
        + Words.list(programs),
      why:
        "The one that opens the card first blocks the other from its devices, and both change its "
        + "mixer: each undoes ports, gains and mutes of the other.",
      families == ["PipeWire", "PulseAudio"]
        ? .init(
          "Let only one of them use the card. To keep PipeWire:",
          command: "systemctl --user mask --now pulseaudio.socket pulseaudio.service")
        : .init("Let only one of them use the card, or end one of them."))
  ]
}

private func missingHardware(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  // The missing session manager is the reason.
  guard !snapshot.lacksSessionManager else { return [] }
  let own = snapshot.has(.besidePulseAudio) ? "PipeWire" : "PulseAudio"
  let users = facts.cardUsers.filter { family($0) != own }
  return Direction.allCases.filter { snapshot.hardware($0).isEmpty }.map { direction in
    Finding(
      .noDevice, direction == .output ? .warning : .note,
      "the server has no \(direction.rawValue)",
      why: "It found no card, no profile with one, or a card that it could not open."
        + (users.isEmpty
          ? "" : " Programs with an open card: \(Words.list(users.map(\.name).unique)).")
        + (direction == .output ? " Programs play, and nothing is heard." : ""),
      .init(
        "See which cards it has, and what each is set to.", command: "audiosession devices --tree"))
  }
}

private func sessionManager(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  guard snapshot.lacksSessionManager else { return [] }
  return [
    Finding(
      .sessionManager, .problem, "PipeWire has no session manager: WirePlumber does not run",
      why:
        "Without one, streams are not connected to devices and defaults are not kept: new streams "
        + "hang, and changes are acknowledged and never made.",
      .init(
        "Start WirePlumber, and install it where it is missing.",
        command: "systemctl --user restart wireplumber"))
  ]
}
