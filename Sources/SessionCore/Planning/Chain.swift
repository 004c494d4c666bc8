import PulseTypes

/// The chain that a wish needs on the devices it means.
///
/// Input: hardware, echo canceller, remap, programs. Output: hardware, combined outputs, remap, echo
/// canceller, programs. Where nothing is needed the programs are on the hardware.
extension PlanContext {
  /// The canceller that the mode needs; nil without one, without both of its devices, and where the
  /// server loads no modules or refused this one.
  var wishedCanceller: EchoCancellerSpec? {
    guard wish.cancelsEcho, !leavesCancellerIdle, input.capabilities.moduleLoading,
      !snapshot.isOfOneProgram, cancellerRefusal == nil,
      input.refusals[.echoCanceller] == nil, let microphone = device(.input),
      let speaker = device(.output)
    else { return nil }
    let remap = try? wishedRemap(on: speaker)
    return EchoCancellerSpec(
      method: wish.echoCanceller ?? EchoCancellerSpec.defaultMethod, input: microphone.name,
      output: remap?.name ?? wishedCombination.map { _ in Owned.combineName } ?? speaker.name,
      map: microphone.channelMap,
      rate: EchoCancellerSpec.rate(for: wish.sampleRate))
  }

  /// Why the wished method is none that the server has; nil where only trying tells.
  ///
  /// PipeWire takes any name without a word: 0.3.65 has one method, whatever it is told.
  var cancellerRefusal: String? {
    guard wish.cancelsEcho, snapshot.has(.oneEchoCanceller), !snapshot.isOfOneProgram,
      let method = wish.echoCanceller, method != EchoCancellerSpec.defaultMethod
    else { return nil }
    return "PipeWire has no echo canceller '\(method)'"
  }

  /// Whether the canceller is left out until somebody records.
  var leavesCancellerIdle: Bool {
    wish.unloadsIdleEchoCanceller == true && !isRecorded
  }

  /// Whether a program records the input, in the snapshot that the plan began with.
  private var isRecorded: Bool {
    guard let name = resolved(.input)?.name,
      let device = input.snapshot.device(.input, named: name)
    else { return false }
    return ([device] + input.snapshot.links(on: device)).contains { device in
      input.snapshot.foreignStreams(on: device).contains { !$0.isCorked }
    }
  }

  /// The outputs to combine; nil for another category, and where they cannot be.
  var wishedCombination: CombineSpec? {
    guard wish.category == .multiRoute, input.capabilities.moduleLoading,
      input.refusals[.combination] == nil, !snapshot.isOfOneProgram,
      let primary = device(.output), resolution.outputs.count > 1
    else { return nil }
    return CombineSpec(
      outputs: resolution.outputs, primary: primary.name, map: primary.channelMap)
  }

  /// The remap that the wish needs on a device; nil where the hardware already is as wished, or where
  /// the server loads no modules or refused this one.
  func wishedRemap(on device: Device) throws(SessionError) -> RemapSpec? {
    let direction = device.direction
    guard let routing = try ChannelRouting.make(wish.wish(direction), on: device),
      !routing.isIdentity(on: device.channelMap), input.capabilities.moduleLoading,
      input.refusals[.chain(direction)] == nil, !snapshot.isOfOneProgram
    else { return nil }
    // One channel mixed from one is that channel.
    if routing.masterMap == .mono, device.channelMap.count == 1 { return nil }
    let echo = direction == .input ? wishedCanceller.map { _ in Owned.echoName(.input) } : nil
    let combined = direction == .output ? wishedCombination.map { _ in Owned.combineName } : nil
    return RemapSpec(
      direction: direction, master: echo ?? combined ?? device.name, masterMap: routing.masterMap,
      map: routing.map)
  }

  /// Where programs are to be: the end of the chain, or the device itself. A remap that cannot be had
  /// is the channel map's error.
  func wishedEnd(on device: Device) -> String {
    // The streams of one program that shall be on the default get what everybody gets there.
    if snapshot.isOfOneProgram, resolved(device.direction)?.isDefault == true,
      let name = snapshot.server.defaultName(device.direction)
    {
      return name
    }
    let remap = (try? wishedRemap(on: device))?.name
    let echo = wishedCanceller.map { _ in Owned.echoName(device.direction) }
    if device.direction == .input { return remap ?? echo ?? device.name }
    return echo ?? remap ?? wishedCombination.map { _ in Owned.combineName } ?? device.name
  }

  /// Whether the default is where programs are to be.
  func isAtEnd(_ direction: Direction, _ device: Device) -> Bool {
    snapshot.server.defaultName(direction) == wishedEnd(on: device)
  }
}
