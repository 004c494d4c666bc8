import PulseTypes

/// The causes on a server for the values of properties.
extension ServerSnapshot {
  /// The codecs of the output's card.
  var codecCauses: [String] {
    let card = chain.defaultRoot(.output).flatMap { self.card(of: $0) }
    guard let card, card.isBluetooth else { return ["the output is no Bluetooth device"] }
    guard let codecs = card.codecs else {
      return ["the server does not report the codecs of \(card.name)"]
    }
    let names = codecs.map { $0.name }.joined(separator: ", ")
    return ["\(card.name) offers on profile \(card.activeProfile ?? "none"): \(names)"]
  }
}

extension ServerSnapshot {
  var profileCauses: [String] {
    guard !cards.isEmpty else { return ["no device has a card, so there is no profile to choose"] }
    return cards.map { card in
      let active = card.activeProfile ?? "none"
      let devices = (sources + sinks).filter { $0.card == card.index && !$0.isMonitor }
      let made = devices.isEmpty ? "nothing" : Words.list(devices.map(\.name))
      return "\(card.name) is on its profile \(active), which makes \(made)"
    }
  }

  var processingCauses: [String] {
    let names = ["module-echo-cancel", "module-role-cork", "module-role-ducking"]
    let loaded = names.flatMap { self.loaded($0) }.map(\.name)
    return loaded.isEmpty
      ? ["the server has no module that processes sound or acts on roles"]
      : ["the server has loaded \(Words.list(loaded))"]
  }

  func rateCauses(_ facts: MachineFacts) -> [String] {
    let direction = hintDirection(facts)
    guard let device = chain.defaultRoot(direction) else {
      return ["there is no \(direction.rawValue)"]
    }
    let rate = device.sampleSpec.rate
    var causes = [
      device.state == .running
        ? "\(device.name) runs at \(rate) Hz"
        : "\(device.name) is \(device.state.rawValue), and set to \(rate) Hz"
    ]
    if let fixed = device.fixedRateReason { causes.append(fixed) }
    let users = foreignStreams(on: device)
    for stream in users where !stream.isCorked {
      causes.append(
        "\(programName(of: stream)) uses it with \(stream.sampleSpec.rate) Hz: no rate changes "
          + "while it runs")
    }
    if users.contains(where: \.isCorked) {
      let names = Set(users.filter(\.isCorked).map { programName(of: $0) }).sorted()
      causes.append(
        "\(Words.list(names)) \(names.count == 1 ? "has" : "have") a paused stream on it")
    }
    return causes + pinCauses(on: device, "rate") + ratePolicy(facts)
  }

  private func ratePolicy(_ facts: MachineFacts) -> [String] {
    if has(.forcedGraph) {
      let line = facts.graphSettings["default.clock.allowed-rates"]
      return [
        "PipeWire's allowed rates are \(line?.value ?? "[ 48000 ]")"
          + (line.map { " (\($0.place))" } ?? ", by default")
      ]
    }
    func rate(_ key: String, _ usual: String) -> String {
      facts.daemonSettings[key].map { "\($0.value) (\($0.place))" } ?? usual
    }
    return [
      "PulseAudio switches a device between its own rate, by default "
        + "\(rate("default-sample-rate", "44100")), and the alternate one, "
        + rate("alternate-sample-rate", "48000")
    ]
  }

  func latencyCauses(_ facts: MachineFacts) -> [String] {
    let direction = hintDirection(facts)
    guard let device = chain.defaultRoot(direction) else {
      return ["there is no \(direction.rawValue)"]
    }
    var causes: [String] = []
    if has(.forcedGraph) {
      causes.append("PipeWire does not report a device's buffer; all devices share one quantum")
    } else if device.state == .suspended {
      causes.append("\(device.name) is suspended: it has no buffer until a program uses it")
    } else {
      let latency = Words.milliseconds(device.configuredLatency)
      causes.append(
        "\(device.name) has a buffer of \(latency): the shortest that any stream on it requests")
    }
    causes += pinCauses(on: device, "latency")
    let users = foreignStreams(on: device) + chain.ownedDevices(direction).flatMap(foreignStreams)
    for stream in users {
      let request = stream.properties["node.latency"].map { " and asks for \($0) s" } ?? ""
      causes.append(
        "\(programName(of: stream)) is on it\(request)" + (stream.isCorked ? ", paused" : ""))
    }
    if users.isEmpty, pins(on: device, "latency").isEmpty {
      causes.append("no stream requests a buffer: the device uses the longest that it has")
    } else if users.count > 1, !has(.forcedGraph) {
      causes.append("PulseAudio does not report which of them requests the shortest")
    }
    return causes
  }

  private func pins(on device: Device, _ kind: String) -> [Stream] {
    streams(on: device).filter { $0.properties[Owned.pinKey] == kind }
  }

  private func pinCauses(on device: Device, _ kind: String) -> [String] {
    pins(on: device, kind).map { pin in
      let request =
        pin.properties[Owned.pinLatencyKey].flatMap { Int64($0) }
        .map { Words.milliseconds(.microseconds($0)) } ?? "\(pin.sampleSpec.rate) Hz"
      return "the session's pin asks for \(request)"
    }
  }

  func channelCauses(_ direction: Direction) -> [String] {
    guard let device = chain.defaultRoot(direction) else {
      return ["there is no \(direction.rawValue)"]
    }
    var causes = ["\(device.name) has the channels \(device.channelMap)"]
    guard let remap = chain.remap(direction), remap.master == device.name else {
      causes.append("the session has no remap on it")
      return causes
    }
    let isInUse = defaultDevice(direction)?.name == remap.name
    causes.append(
      "\(remap.name) is on it: it takes \(remap.masterMap) as \(remap.map)"
        + (isInUse ? "" : ", and is not the default"))
    return causes
  }

  func volumeCauses(_ direction: Direction, _ facts: MachineFacts) -> [String] {
    guard let device = chain.defaultRoot(direction) else {
      return ["there is no \(direction.rawValue)"]
    }
    let place = device.flags.contains(.hardwareVolume) ? "in the hardware" : "by the server"
    var causes = ["\(device.name) is at \(Words.volume(device.volume)), set \(place)"]
    for owned in chain.ownedDevices(direction) where chain.root(of: owned)?.name == device.name {
      causes.append("\(owned.name) before it is at \(Words.volume(owned.volume))")
    }
    if !loaded("module-device-restore").isEmpty {
      causes.append("module-device-restore sets what each device, and each port, had last")
    }
    causes.append("the server does not report which program set it")
    return causes
  }

  func muteCauses(_ direction: Direction) -> [String] {
    guard let device = chain.defaultRoot(direction) else {
      return ["there is no \(direction.rawValue)"]
    }
    let devices = [device] + chain.links(on: device)
    var causes = devices.map { "\($0.name) is \($0.isMuted ? "muted" : "not muted")" }
    if devices.contains(where: \.isMuted) {
      causes.append(
        "the server does not report which program muted it; the session unmutes only when asked")
    }
    return causes
  }

  func offsetCauses(_ direction: Direction) -> [String] {
    guard let device = chain.defaultRoot(direction) else {
      return ["there is no \(direction.rawValue)"]
    }
    guard let name = device.activePort else { return ["\(device.name) has no ports"] }
    let port = card(of: device)?.ports.first { $0.name == name && $0.direction == direction }
    let offset = port.map { Words.milliseconds($0.latencyOffset) } ?? "not known"
    return ["the port \(name) of \(device.name) adds \(offset)"]
  }

  /// The direction to which the hints apply: output for a mode that only plays.
  private func hintDirection(_ facts: MachineFacts) -> Direction {
    let category = facts.state?.properties[.category]?.preferred
    let isPlayback = Category.allCases.contains { item in
      category == .string(item.rawValue) && !item.directions.contains(.input)
    }
    return isPlayback ? .output : .input
  }
}
