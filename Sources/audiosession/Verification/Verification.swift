import AudioSession
import AudioStreams
import PulseTypes
import SessionCore

/// Measures a session by recording through it, and by playing if that is allowed.
struct Verification {
  let session: AudioSession
  let time: Duration
  /// Whether the server is private, so that played sound is inaudible.
  let isPrivate: Bool
  /// Whether to play even if people can hear it, and to record through the air.
  let playsAloud: Bool

  func run() async throws -> VerifyReport {
    let state = try await session.getSessionState()
    let snapshot = try await session.snapshot()
    let output = snapshot.defaultDevice(.output)
    let isPlaybackOnly = state.isPlaybackOnly
    let source = isPlaybackOnly ? monitor(of: output, snapshot) : snapshot.defaultDevice(.input)
    guard let source else {
      throw SessionError(
        .inputNotAvailable, stage: .device, "there is nothing to record: no input",
        alternatives: snapshot.devices(.input).map(\.name))
    }
    let hardware = snapshot.chain.root(of: source).flatMap { $0.name == source.name ? nil : $0 }
    let measured = try await DeviceMeasurement.run(
      server: session.address, device: source.name, hardware: hardware?.name,
      measuresBuffer: state.properties[.ioBufferDuration]?.preferred != nil,
      hasGraphBuffer: snapshot.has(.graphBuffer), time: time)
    try Task.checkCancellation()
    let loop = try await loop(output, source, snapshot, measured.buffer)
    try Task.checkCancellation()
    return VerifyReport(
      state: state, measured: measured, isProcessed: snapshot.hasCanceller(behind: source),
      hardware: (hardware ?? source).channelMap.positions,
      isMonitor: isPlaybackOnly, loop: loop,
      output: output?.channelMap.positions ?? [],
      name: (hardware ?? source).title,
      silence: silence([source, hardware].compactMap { $0 }))
  }

  /// Why an input may be silent, and what to do; a command names it by its index, because names are shown as
  /// people know them.
  private func silence(_ chain: [Device]) -> String? {
    guard let hardware = chain.last else { return nil }
    if let muted = chain.first(where: \.isMuted) {
      let command = "pactl set-source-mute \(muted.index.rawValue) 0"
      return "\(muted.title) is muted; to unmute it: "
        + Words.command(command, on: session.address)
    }
    if let low = chain.first(where: { $0.volume.loudest <= .muted }) {
      let command = "pactl set-source-volume \(low.index.rawValue) 80%"
      return "the gain of \(low.title) is 0 %; to raise it: "
        + Words.command(command, on: session.address)
    }
    guard hardware.isHardware else {
      return
        "\(hardware.title) is no hardware, and has no sound of its own; 'audiosession devices' "
        + "lists the inputs"
    }
    return "nothing but silence came from \(hardware.title): is its own switch off, or is it the "
      + "wrong input? '\(Words.command("audiosession doctor", on: session.address))' listens to every input"
  }

  private func monitor(of output: Device?, _ snapshot: ServerSnapshot) -> Device? {
    output?.monitor.flatMap { snapshot.device(.input, named: $0) }
  }

  /// The path from the output back: through the input, if it gets the output's sound, otherwise
  /// through the output's monitor.
  private func loop(
    _ output: Device?, _ source: Device, _ snapshot: ServerSnapshot, _ buffer: Duration?
  ) async throws -> LoopMeasurement? {
    guard let output, let monitor = output.monitor,
      isPrivate || playsAloud || !snapshot.canBeHeard
    else { return nil }
    // A monitor as the input gets the output's sound without air or cable.
    let root = snapshot.chain.root(of: source)
    let isDigital = root?.name == monitor
    let latency = min(max(buffer ?? .milliseconds(20), .milliseconds(5)), .milliseconds(100))
    let sources = isDigital ? [source.name] : playsAloud ? [source.name, monitor] : [monitor]
    var result: LoopMeasurement?
    for name in sources where result?.latency == nil && !Task.isCancelled {
      result = try await LoopMeasurement.run(
        server: session.address, source: name, outputs: output.channelMap.count, latency: latency)
    }
    let isMonitor = result?.source == monitor || isDigital
    result?.isMonitor = isMonitor
    return result
  }
}

extension SessionState {
  /// Whether the mode in effect has a category without an input.
  fileprivate var isPlaybackOnly: Bool {
    guard active, case .string(let word)? = properties[.category]?.preferred,
      let category = Category(rawValue: word)
    else { return false }
    return !category.directions.contains(.input)
  }
}

extension ServerSnapshot {
  /// Whether any output leads to a person's ears. An output that is no hardware may: through a remap,
  /// combined outputs, a loopback of its monitor, or a network, and not all of them can be followed.
  fileprivate var canBeHeard: Bool {
    devices(.output).contains { $0.isHardware || $0.flags.contains(.network) }
  }

  /// Whether a source delivers the output of an echo canceller.
  fileprivate func hasCanceller(behind source: Device) -> Bool {
    [source, chain.master(of: source)].contains { $0?.properties[Owned.echoKey] != nil }
  }
}
