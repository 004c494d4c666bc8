import PulseTypes

/// Checks of modules and policies that change the session's settings by themselves.
let policyChecks = [
  DoctorCheck(.switchOnConnect, switchOnConnect),
  DoctorCheck(.switchOnPortAvailable, switchOnPortAvailable),
  DoctorCheck(.streamRestore, savedStreams),
  DoctorCheck(.roleModule, roleModules),
  DoctorCheck(.filter, filters),
]

private func switchOnConnect(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  snapshot.modules(named: "module-switch-on-connect").map { module in
    Finding(
      .switchOnConnect, .warning, object: module.name,
      "every device that is plugged in becomes the default",
      why: "It takes the default from the preferred input or output each time. A holder takes it "
        + "back; without one it stays there.",
      facts.unloading(module))
  }
}

private func switchOnPortAvailable(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  snapshot.modules(named: "module-switch-on-port-available").map { module in
    Finding(
      .switchOnPortAvailable, .note, object: module.name,
      "a jack that is plugged in or out changes the port, and the card's profile",
      why: "The preferred port is in use only until then. A process that maintains the session "
        + "restores it; without one the profile must be applied again.",
      facts.state?.holder == nil
        ? .init(
          "Most desktops want it. Have the session maintained:",
          command: "audiosession apply PROFILE --keep")
        : .init("Nothing to do: the session is maintained."))
  }
}

private func savedStreams(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  let module = snapshot.modules(named: "module-stream-restore").first
  // Told not to restore devices, the server keeps what it had stored, and does not use it.
  if let value = module?.value(of: "restore_device"), ["no", "false", "off", "0"].contains(value) {
    return []
  }
  return facts.savedStreams.compactMap { stream in
    guard let device = stream.device, let direction = stream.direction,
      device != snapshot.server.defaultName(direction)
    else { return nil }
    let isThere = snapshot.device(direction, named: device) != nil
    let verb = direction == .input ? "records from" : "plays to"
    let start = module.flatMap { facts.startup[$0.name] }
    return Finding(
      .streamRestore, isThere ? .warning : .note, object: stream.owner,
      "'\(stream.owner)' \(verb) \(device)"
        + (isThere ? ", whatever the default is" : " when that is there, whatever the default is"),
      why:
        "It was moved there once, and the server remembers that. The session chooses devices by the "
        + "default, which this program does not follow.",
      .init(
        "Move its stream to the default while it runs, which forgets it, or set "
          + "\(Property.moveOutputStreams.row.name) in the profile."
          + (module == nil ? "" : " For no program to be remembered, load the module with:"),
        file: module.flatMap { _ in start.map(\.place) ?? facts.places["default.pa"] },
        line: module.map { "load-module \($0.name) restore_device=false" }))
  }
}

private func roleModules(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  ["module-role-cork", "module-role-ducking"].flatMap { name in
    snapshot.modules(named: name).map { module in
      let trigger = module.value(of: "trigger_roles") ?? "phone"
      let action = name == "module-role-cork" ? "pauses and mutes" : "turns down"
      return Finding(
        .roleModule, .note, object: module.name,
        "\(action) others while a stream with the role \(trigger) plays",
        why: name == "module-role-cork"
          ? "Afterwards it unmutes what it muted, also what a person had muted. A session treats "
            + "this as an interruption."
          : "The volume that is heard is lower than the one that is set and read back, and PulseAudio "
            + "16.1 ends when a stream that it has turned down is moved to another output.",
        facts.unloading(module))
    }
  }
}

private func filters(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  Direction.allCases.flatMap { direction in
    snapshot.devices(direction).compactMap { device -> Finding? in
      guard !device.isMonitor, !snapshot.isOwned(device),
        let name = snapshot.processor(of: device)
      else { return nil }
      let isDefault = snapshot.server.defaultName(direction) == device.name
      let module = snapshot.module(of: device).flatMap { $0.name == name ? $0 : nil }
      return Finding(
        .filter, isDefault ? .warning : .note, object: device.name,
        "\(name) processes the \(direction.rawValue)" + (isDefault ? ", as the default" : ""),
        why: "What programs get is not what the device gives: gain, channels and rate are changed "
          + "on the way, and it competes for the default.",
        module.map { facts.unloading($0) }
          ?? .init("Close it, or turn its processing of the \(direction.rawValue) off."))
    }
  }
}

extension Module {
  /// The value of an argument, without its quotes; nil if it was not given.
  func value(of key: String) -> String? {
    argument.split(separator: " ").compactMap { word -> String? in
      guard word.hasPrefix(key + "=") else { return nil }
      return word.dropFirst(key.count + 1).filter { $0 != "\"" && $0 != "'" }
    }.first
  }
}

extension MachineFacts.Line {
  /// The file and the number of the line: `/etc/pulse/default.pa:38`.
  var place: String { "\(file):\(number)" }

  /// Whether PulseAudio reads the value as true.
  var isYes: Bool { ["yes", "true", "on", "1", "y", "t"].contains(value.lowercased()) }
}

extension MachineFacts {
  /// The remedy that removes a module, now and for the next start.
  func unloading(_ module: Module) -> Finding.Remedy {
    let command = "pactl unload-module \(module.index.rawValue)"
    guard let line = startup[module.name] else {
      return .init("Unload it; what loaded it may do so again.", command: command)
    }
    return .init(
      "Unload it, and take its line out of the server's start.", command: command,
      file: line.place,
      line: ["load-module", line.key, line.value].filter { !$0.isEmpty }
        .joined(separator: " "))
  }
}
