import PulseTypes

/// Checks of the inputs' sound.
let soundChecks = [
  DoctorCheck(.mutedInput, mutedInput),
  DoctorCheck(.silentInput, silentInputs),
  DoctorCheck(.deadChannel, deadChannels),
  DoctorCheck(.dualMono, dualMono),
  DoctorCheck(.clippedInput, clippedInputs),
  DoctorCheck(.offsetInput, offsetInputs),
]

private func mutedInput(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  // The desktop's key mutes the default, which may be the session's own device.
  let links = snapshot.chain.ownedDevices(.input)
  return (snapshot.hardware(.input) + links).filter {
    $0.isMuted || $0.volume.loudest == .muted
  }.compactMap { device in
    let isDefault =
      snapshot.chain.defaultRoot(.input)?.name == device.name || links.contains(device)
    if isDefault, facts.state?.keepsSilent(device) == true { return nil }
    return Finding(
      .mutedInput, isDefault ? .warning : .note, object: device.name,
      device.isMuted ? "the input is muted" : "the input's gain is 0 %",
      why: "Recordings are silent. The session never unmutes by itself.",
      device.isMuted
        ? .init(
          facts.state?.properties[.inputMuted]?.preferred == .flag(false)
            ? "Unmute it, or apply the profile again."
            : "Unmute it, or set 'mute = false' in the profile.",
          command: "pactl set-source-mute \(Words.quoted(device.name)) 0")
        : .init(
          "Turn it up, or set 'gain' in the profile.",
          command: "pactl set-source-volume \(Words.quoted(device.name)) 80%"))
  }
}

extension SessionState {
  /// Whether the mode in effect asks for the silence of the input.
  fileprivate func keepsSilent(_ device: Device) -> Bool {
    let silence: StateValue = device.isMuted ? .flag(true) : .number(0)
    return active && Property.levels(.input).contains { properties[$0]?.preferred == silence }
  }
}

private func silentInputs(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  facts.findings(in: snapshot) { fault, device in
    guard fault == .silent, !device.isMuted else { return nil }
    guard device.isHardware else {
      return Finding(
        .silentInput, .note, object: device.name, "the input delivers silence",
        why: "It is no hardware: it delivers what other programs give it, and that is nothing now.",
        .init("Choose another input if it should have sound.", command: "audiosession devices"))
    }
    let isDefault = snapshot.chain.defaultRoot(.input)?.name == device.name
    let port = device.activePort.map { ", from its port \($0)" } ?? ""
    let others = device.ports.filter { $0.name != device.activePort && $0.availability.isUsable }
    return Finding(
      .silentInput, isDefault ? .warning : .note, object: device.name,
      "the input delivers silence\(port)",
      why: "No channel had anything for half a second, not even noise: a switch on the device, "
        + "the wrong port, or nothing is connected.",
      others.first.map { other in
        .init(
          "Look for a switch on the device; or try another port.",
          command: "pactl set-source-port \(Words.quoted(device.name)) \(Words.quoted(other.name))",
          line: Property.inputPort.line { $0.inputPort = [.name(other.name)] })
      } ?? .init("Look for a switch on the device, and whether a microphone is connected."))
  }
}

private func deadChannels(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  facts.recordedDevices(in: snapshot).compactMap { device, faults -> Finding? in
    let levels = device.volume.values
    let dead = faults.compactMap { fault -> Int? in
      // One whose level is 0 is silent by choice.
      guard case .deadChannel(let channel) = fault else { return nil }
      return levels.indices.contains(channel) && levels[channel] == .muted ? nil : channel
    }
    let names = dead.compactMap { device.position($0) }
    guard !dead.isEmpty, snapshot.taken(from: device)?.contains(where: names.contains) != false
    else { return nil }
    let living = device.channelMap.positions.indices.filter { !dead.contains($0) }
    return Finding(
      .deadChannel, .warning, object: device.name,
      "\(device.names(of: dead)) \(dead.count == 1 ? "carries" : "carry") nothing, while "
        + "\(device.names(of: living)) \(living.count == 1 ? "does" : "do")",
      why: "Recordings are heard on one side only, and mixed to mono they lose half of their "
        + "level.",
      .init(
        "Use only the channels that have sound: in the profile, under [input],",
        line: device.channelMapLine(of: Array(living))))
  }
}

private func dualMono(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  facts.recordedDevices(in: snapshot).compactMap { device, faults -> Finding? in
    let copies = faults.compactMap { fault -> [Int]? in
      if case .dualMono(let one, let other) = fault { [one, other] } else { nil }
    }
    let remap = snapshot.chain.remap(.input)
    // The remedy is to use one of its channels.
    guard let first = copies.first,
      remap.map({ snapshot.chain.stands($0, on: device) && $0.map.count == 1 }) != true
    else { return nil }
    let doubled = Set(copies.compactMap(\.last))
    let distinct = device.channelMap.positions.indices.filter { !doubled.contains($0) }
    return Finding(
      .dualMono, .note, object: device.name,
      "\(device.names(of: first)) carry the same: one microphone twice",
      why: "It has two channels with the same sound: a polar pattern 'stereo' has no effect that "
        + "can be heard.",
      .init(
        "Take it once: in the profile, under [input],",
        line: device.channelMapLine(of: Array(distinct))))
  }
}

private func clippedInputs(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  facts.findings(in: snapshot) { fault, device in
    guard case .clipping(let channel, let samples) = fault else { return nil }
    return Finding(
      .clippedInput, .warning, object: device.name,
      "\(device.names(of: [channel])) is overdriven: \(samples) samples at full scale",
      why: "What is clipped is lost and sounds harsh.",
      .init(
        "Turn the gain down: in the profile, under [input],",
        line: Property.inputGain.line {
          $0.inputGain = Volume(fraction: device.volume.loudest.fraction / 2)
        }))
  }
}

private func offsetInputs(_ facts: MachineFacts, _ snapshot: ServerSnapshot) -> [Finding] {
  facts.findings(in: snapshot) { fault, device in
    guard case .offset(let channel, let value) = fault else { return nil }
    let percent = Int(saturating: value * 1000)
    return Finding(
      .offsetInput, .note, object: device.name,
      "\(device.names(of: [channel])) has a DC offset of \(percent / 10).\(abs(percent % 10)) %",
      why: "A fault of the hardware or of its power: it takes headroom and clicks at cuts.",
      .init("Try another port, cable or device; a high-pass filter removes it."))
  }
}

extension MachineFacts {
  /// The findings of a rule for each fault of each input that still exists.
  fileprivate func findings(
    in snapshot: ServerSnapshot, _ rule: (Recording.Fault, Device) -> Finding?
  ) -> [Finding] {
    recordedDevices(in: snapshot).flatMap { device, faults in
      faults.compactMap { rule($0, device) }
    }
  }

  /// The inputs that were recorded and still exist, with their faults.
  fileprivate func recordedDevices(
    in snapshot: ServerSnapshot
  ) -> [(device: Device, faults: [Recording.Fault])] {
    (recordings ?? []).compactMap { recording in
      snapshot.device(.input, named: recording.device).map { ($0, recording.faults) }
    }
  }
}

extension ServerSnapshot {
  /// The channels that the session's remap uses of an input; nil if there is no remap, or it mixes
  /// all channels.
  fileprivate func taken(from device: Device) -> [ChannelPosition]? {
    guard let remap = chain.remap(.input), chain.stands(remap, on: device), remap.masterMap != .mono
    else { return nil }
    return remap.masterMap.positions
  }
}

extension Device {
  fileprivate func position(_ channel: Int) -> ChannelPosition? {
    channelMap.positions.indices.contains(channel) ? channelMap.positions[channel] : nil
  }

  fileprivate func names(of channels: some Collection<Int>) -> String {
    Words.list(channels.map { position($0)?.rawValue ?? "channel \($0)" })
  }

  /// The line of a profile that selects these channels, or only the first one if there is no
  /// standard layout for their number.
  fileprivate func channelMapLine(of channels: [Int]) -> String? {
    let positions = channels.compactMap(position)
    let kept =
      ChannelMap.standard(channels: positions.count) == nil
      ? Array(positions.prefix(1)) : positions
    let selection: ChannelSelection
    switch kept {
    case []: return nil
    case [.frontLeft]: selection = .left
    case [.frontRight]: selection = .right
    default: selection = .positions(kept)
    }
    return Property.channelMap.line { $0.channelMap = selection }
  }
}
