import PulseTypes

/// Checks of the servers themselves.
let serverChecks = [
  DoctorCheck(offline: .serverUnreachable, serverUnreachable),
  DoctorCheck(.otherServer, otherServers),
  DoctorCheck(offline: .cardShared, cardShared),
  DoctorCheck(.sessionManager, sessionManager),
]

private func serverUnreachable(_ facts: MachineFacts) -> [Finding] {
  guard facts.snapshot == nil, let error = facts.unreachable else { return [] }
  let message: String
  let remedy: Finding.Remedy
  switch error.code {
  case .timedOut:
    message = "the server does not answer in time"
    remedy = .init(
      "It may be frozen: restart it.",
      command: "systemctl --user restart pulseaudio pipewire-pulse")
  case .accessDenied:
    message = "the server refuses this client"
    remedy = .init(
      "Give PULSE_COOKIE the path of the server's cookie, and run as the server's user.")
  case _ where error.property == SessionError.serverVariable:
    message = error.message
    remedy = .init("Unset it, or set it to a server's address.", command: "unset PULSE_SERVER")
  default:
    message = "no server answers"
    remedy = wayToServer(facts)
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
      "\(program.name) (process \(program.pid)) listens at \(socket.path): name it with --server or "
        + "PULSE_SERVER.")
  }
  return .init(
    "Start the one that this machine has, or name another with --server.",
    command: "systemctl --user start pipewire-pulse || pulseaudio --start")
}

/// Service managers that listen on a server's socket; they are not servers.
private let socketKeepers: Set<String> = ["systemd", "init"]

private func otherServers(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  facts.sockets.compactMap { socket in
    guard let program = socket.program, program.pid != facts.server?.pid,
      !socketKeepers.contains(program.name)
    else { return nil }
    let mine = facts.server.map { "\($0.name) (process \($0.pid))" } ?? "the server in use"
    return Finding(
      .otherServer, .warning, object: socket.path,
      "\(program.name) (process \(program.pid)) listens here, beside \(mine)",
      why: "Programs that find the other server play and record there: nothing that is set here "
        + "reaches them.",
      .init(
        "Stop one of the two, for good where it is a service.",
        command: program.name.hasPrefix("pipewire")
          ? "systemctl --user mask --now pipewire-pulse.socket pipewire-pulse.service"
          : "systemctl --user mask --now pulseaudio.socket pulseaudio.service"))
  }
}

private func cardShared(_ facts: MachineFacts) -> [Finding] {
  let families = Dictionary(grouping: facts.cardUsers) { program in
    switch program.name {
    case "pulseaudio": "PulseAudio"
    case "jackd", "jackdbus": "JACK"
    case "pipewire", "wireplumber", "pipewire-media-": "PipeWire"
    default: ""
    }
  }.filter { !$0.key.isEmpty }.filter { name, programs in
    // A card of their own disturbs no other program.
    facts.cardUsers.contains { other in
      programs.contains { $0 != other && !$0.cards.isDisjoint(with: other.cards) }
    }
  }
  guard families.count > 1 else { return [] }
  let programs = families.values.flatMap { $0 }.sorted { $0.pid < $1.pid }
    .map { "\($0.name) (\($0.pid))" }
  return [
    Finding(
      .cardShared, .problem,
      "\(Words.list(families.keys.sorted())) have a sound card open at once: "
        + Words.list(programs),
      why:
        "The one that opens the card first blocks the other from its devices, and both change its "
        + "mixer: each undoes ports, gains and mutes of the other.",
      .init(
        "Let only one of them use the card. To keep PipeWire:",
        command: "systemctl --user mask --now pulseaudio.socket pulseaudio.service"))
  ]
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
