import PulseTypes

/// The chain that a wish needs on the devices it means.
///
/// Input: hardware, echo canceller, remap, programs. Output: hardware, remap, echo canceller,
/// programs. Where nothing is needed the programs are on the hardware.
extension PlanContext {
  /// The canceller that the mode needs; nil without one, without both of its devices, and where the
  /// server loads no modules or refused this one.
  var wishedCanceller: EchoCancellerSpec? {
    guard wish.cancelsEcho, input.capabilities.moduleLoading,
      input.refusals[.echoCanceller] == nil, let microphone = device(.input),
      let speaker = device(.output)
    else { return nil }
    let remap = try? wishedRemap(on: speaker)
    return EchoCancellerSpec(
      method: wish.echoCanceller ?? EchoCancellerSpec.defaultMethod, input: microphone.name,
      output: remap?.name ?? speaker.name, map: microphone.channelMap,
      rate: EchoCancellerSpec.rate(for: wish.sampleRate))
  }

  /// The remap that the wish needs on a device; nil where the hardware already is as wished, or where
  /// the server loads no modules or refused this one.
  func wishedRemap(on device: Device) throws(SessionError) -> RemapSpec? {
    let direction = device.direction
    guard let routing = try ChannelRouting.make(wish.wish(direction), on: device),
      !routing.isIdentity(on: device.channelMap), input.capabilities.moduleLoading,
      input.refusals[.chain(direction)] == nil
    else { return nil }
    // One channel mixed from one is that channel.
    if routing.masterMap == .mono, device.channelMap.count == 1 { return nil }
    let echo = direction == .input ? wishedCanceller.map { _ in Owned.echoName(.input) } : nil
    return RemapSpec(
      direction: direction, master: echo ?? device.name, masterMap: routing.masterMap,
      map: routing.map)
  }

  /// Where programs are to be: the end of the chain, or the device itself. A remap that cannot be had
  /// is the channel map's error.
  func wishedEnd(on device: Device) -> String {
    let remap = (try? wishedRemap(on: device))?.name
    let echo = wishedCanceller.map { _ in Owned.echoName(device.direction) }
    return (device.direction == .input ? remap ?? echo : echo ?? remap) ?? device.name
  }

  /// Whether the default is where programs are to be.
  func isAtEnd(_ direction: Direction, _ device: Device) -> Bool {
    snapshot.server.defaultName(direction) == wishedEnd(on: device)
  }
}
