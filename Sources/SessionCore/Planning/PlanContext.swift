import PulseTypes

/// The context of an aspect: the input, the predicted server after the steps so far, and the
/// resolved devices.
///
/// An object, because each aspect gets it and conditions keep it, and its parts are large to copy.
final class PlanContext: Sendable {
  let input: PlanInput
  let server: PredictedServer
  let resolution: Resolution

  init(input: PlanInput, server: PredictedServer, resolution: Resolution) {
    (self.input, self.server, self.resolution) = (input, server, resolution)
  }

  /// The server as it is, with every device that can be resolved.
  convenience init(_ input: PlanInput) {
    self.init(
      input: input, server: PredictedServer(input.snapshot), resolution: .tolerant(input))
  }

  var mode: AudioMode { input.mode }
  var snapshot: ServerSnapshot { server.snapshot }

  func resolved(_ direction: Direction) -> Resolved? { resolution.devices[direction] }

  /// The resolved device in the predicted server, with its ports and values.
  func device(_ direction: Direction) -> Device? {
    resolved(direction).flatMap { snapshot.device(direction, named: $0.name) }
  }

  /// The device that a state shows: the resolved one, otherwise the root of the default.
  func shownDevice(_ direction: Direction) -> Device? {
    device(direction) ?? snapshot.chain.defaultRoot(direction)
  }
}
