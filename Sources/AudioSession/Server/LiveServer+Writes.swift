import Pulse
import PulseTypes
import SessionCore

/// The request of each kind of change.
extension LiveServer {
  /// Asks for a change; that the server took it does not say yet that it is so.
  func write(_ step: Step, _ deadline: Deadline) async throws(PulseError) {
    // A stream waits for WirePlumber, the rest for pipewire-pulse alone.
    let timeout = step.setting.isOurStream ? deadline.remaining : answerTime(deadline)
    switch (step.setting, step.to) {
    case (.cardProfile(let card), .name(let profile)):
      try await client.setCardProfile(card, profile, timeout: timeout)
    case (.codec(let card), .name(let name)):
      let codec = snapshot.card(named: card)?.codecs?.first { $0.name == name }
      try await client.switchCodec(of: card, to: codec?.serverName ?? name, timeout: timeout)
    case (.defaultDevice(.input), .name(let name)):
      try await client.setDefaultSource(name, timeout: timeout)
    case (.defaultDevice(.output), .name(let name)):
      try await client.setDefaultSink(name, timeout: timeout)
    case (.port(let direction, let device), .name(let port)):
      try await client.setPort(direction, device: device, port: port, timeout: timeout)
    case (.volume(let direction, let device), .volume(let volume)):
      try await client.setVolume(direction, device: device, volume, timeout: timeout)
    case (.mute(let direction, let device), .flag(let flag)):
      try await client.setMute(direction, device: device, flag, timeout: timeout)
    case (.latencyOffset(let card, let port), .duration(let offset)):
      try await client.setPortLatencyOffset(card: card, port: port, offset, timeout: timeout)
    case (.stream(let direction, let index), .name(let device)):
      try await client.moveStream(direction, index, to: device, timeout: timeout)
    case (.othersMute(let index), .flag(let flag)):
      try await client.setStreamMute(.output, index, flag, timeout: timeout)
    case (.othersVolume(let index), .volume(let volume)):
      try await client.setStreamVolume(.output, index, volume, timeout: timeout)
    case (.chain, _), (.echoCanceller, _), (.combination, _): try await writeLink(step, timeout)
    case (.others(let treatment), _): try await writeOthers(treatment, step.to, timeout)
    case (.trigger, _): try await writeTrigger(step.to == .flag(true), timeout)
    case (.rate, _), (.latency, _): try await writePin(step, timeout)
    default:
      throw PulseError(.invalidArgument, "set \(step.setting.propertyName) to \(step.to)")
    }
  }

  private func writeOthers(
    _ treatment: Treatment, _ value: SettingValue, _ timeout: Duration
  ) async throws(PulseError) {
    for module in snapshot.modules(of: treatment) {
      try await unload(module.index, timeout)
    }
    guard let argument = treatment.moduleArgument(value) else { return }
    try await load(treatment.moduleName, argument, timeout)
  }

  /// Unloads what stands, whoever's run made it, then loads what is wished.
  private func writeLink(_ step: Step, _ timeout: Duration) async throws(PulseError) {
    for module in snapshot.modules(of: step.setting) {
      do throws(PulseError) {
        try await unload(module, timeout)
      } catch {
        // Gone by itself meanwhile is as good as unloaded.
        guard error.code == .noSuchEntity else { throw error }
      }
    }
    switch step.to {
    case .remap(let spec):
      try await load(spec.moduleName, spec.moduleArgument, timeout)
    case .combination(let spec):
      try await load(spec.moduleName, spec.moduleArgument, timeout)
    case .echoCanceller(let spec):
      try await keepingRates(of: spec, timeout) { () throws(PulseError) in
        try await load(spec.moduleName, spec.moduleArgument, timeout)
      }
    default: break
    }
  }

  /// The list of modules is read once, and the event of a new one may come after later answers.
  private func load(
    _ name: String, _ argument: String, _ timeout: Duration
  ) async throws(PulseError) {
    let index = try await client.loadModule(name, argument, timeout: timeout)
    noteLoading(Module(index: index, name: name, argument: argument))
  }

  private func unload(_ module: Index<Module>, _ timeout: Duration) async throws(PulseError) {
    try await client.unloadModule(module, timeout: timeout)
    noteUnloading(module)
  }
}
