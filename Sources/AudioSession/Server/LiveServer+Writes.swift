import Pulse
import PulseTypes
import SessionCore

/// The requests for each kind of change.
extension LiveServer {
  /// Requests a change; the server's acceptance does not mean that it has taken effect.
  func write(_ step: Step, _ deadline: Deadline) async throws(PulseError) {
    guard let requests = step.setting.requests(for: step.to, in: snapshot) else {
      throw PulseError(.invalidArgument, "set \(step.setting.propertyName) to \(step.to)")
    }
    for request in requests {
      // A stream waits for WirePlumber, other requests only for pipewire-pulse.
      try await send(
        request, step.setting.is(.ownStream) ? deadline.remaining : answerTime(deadline))
    }
  }

  private func send(_ request: ServerRequest, _ timeout: Duration) async throws(PulseError) {
    switch request {
    case .setCardProfile(let card, let profile):
      try await client.setCardProfile(card, profile, timeout: timeout)
    case .switchCodec(let card, let codec):
      try await client.switchCodec(of: card, to: codec, timeout: timeout)
    case .setDefault(.input, let name): try await client.setDefaultSource(name, timeout: timeout)
    case .setDefault(.output, let name): try await client.setDefaultSink(name, timeout: timeout)
    case .setPort(let direction, let device, let port):
      try await client.setPort(direction, device: device, port: port, timeout: timeout)
    case .setVolume(let direction, let device, let volume):
      try await client.setVolume(direction, device: device, volume, timeout: timeout)
    case .setMute(let direction, let device, let flag):
      try await client.setMute(direction, device: device, flag, timeout: timeout)
    case .setPortLatencyOffset(let card, let port, let offset):
      try await client.setPortLatencyOffset(card: card, port: port, offset, timeout: timeout)
    case .moveStream(let direction, let index, let device):
      try await client.moveStream(direction, index, to: device, timeout: timeout)
    case .setStreamMute(let index, let flag):
      try await client.setStreamMute(.output, index, flag, timeout: timeout)
    case .setStreamVolume(let index, let volume):
      try await client.setStreamVolume(.output, index, volume, timeout: timeout)
    case .unloadModule(let module, let isSure): try await unload(module, isSure, timeout)
    case .loadModule(let name, let argument, nil): try await load(name, argument, timeout)
    case .loadModule(let name, let argument, let spec?):
      try await keepingRates(of: spec, timeout) { () throws(PulseError) in
        try await load(name, argument, timeout)
      }
    case .setOwnStream(let setting, let value): try await writePin(setting, value, timeout)
    }
  }

  /// The list of modules is read only once, and the event of a new one may arrive after later
  /// answers: the module is added without a request (see `PulseClient.snapshot`).
  private func load(
    _ name: String, _ argument: String, _ timeout: Duration
  ) async throws(PulseError) {
    let index = try await client.loadModule(name, argument, timeout: timeout)
    changes.load(Module(index: index, name: name, argument: argument))
  }

  private func unload(
    _ module: Index<Module>, _ isSure: Bool, _ timeout: Duration
  ) async throws(PulseError) {
    do throws(PulseError) {
      try await client.unloadModule(module, timeout: timeout)
    } catch {
      // A module that has ended by itself in the meantime counts as unloaded.
      guard !isSure, error.code == .noSuchEntity else { throw error }
      return
    }
    changes.unload(module)
  }
}
