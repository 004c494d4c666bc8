import PulseTypes

/// The chain that a mode needs on its devices.
///
/// Input: hardware, echo canceller, remap, programs. Output: hardware, combined outputs, remap,
/// echo canceller, programs. Without links, programs use the hardware.
extension PlanContext {
  /// Whether a link cannot be made now: the server refused it, or another program takes it away again and
  /// again.
  func lacks(_ link: Setting) -> Bool {
    input.refusals[link] != nil
      || input.yielded.contains(link) && (snapshot.value(of: link) ?? .absent) == .absent
  }

  /// The echo canceller that the mode needs; nil if it needs none, one of the devices is missing,
  /// the server loads no modules, or it refused this one.
  var preferredCanceller: EchoCancellerSpec? {
    guard mode.cancelsEcho, !leavesCancellerIdle, input.capabilities.moduleLoading,
      !snapshot.isOfOneProgram, cancellerRefusal == nil,
      !lacks(.echoCanceller), let microphone = device(.input),
      let speaker = device(.output)
    else { return nil }
    let remap = try? preferredRemap(on: speaker)
    return EchoCancellerSpec(
      method: mode.echoCanceller ?? EchoCancellerSpec.defaultMethod, input: microphone.name,
      output: remap?.name ?? speaker.name, map: microphone.channelMap,
      rate: EchoCancellerSpec.rate(for: mode.sampleRate))
  }

  /// Why the server does not have the preferred method; nil if only an attempt would show.
  ///
  /// PipeWire accepts any name without an error: 0.3.65 has only one method, whatever the name is.
  var cancellerRefusal: String? {
    guard mode.cancelsEcho, snapshot.has(.oneEchoCanceller), !snapshot.isOfOneProgram,
      let method = mode.echoCanceller, method != EchoCancellerSpec.defaultMethod
    else { return nil }
    return "PipeWire has no echo canceller '\(method)'"
  }

  /// Whether the canceller stays unloaded until a program records.
  var leavesCancellerIdle: Bool {
    mode.unloadsIdleEchoCanceller == true && !isRecorded
  }

  /// Whether a program records from the input, in the snapshot from before the plan.
  private var isRecorded: Bool {
    guard let name = resolved(.input)?.name,
      let device = input.snapshot.device(.input, named: name)
    else { return false }
    return ([device] + input.snapshot.chain.links(on: device)).contains { device in
      input.snapshot.foreignStreams(on: device).contains { !$0.isCorked }
    }
  }

  /// The outputs to combine; nil for other categories, or if they cannot be combined.
  var preferredCombination: CombineSpec? {
    guard mode.category == .multiRoute, input.capabilities.moduleLoading,
      !lacks(.combination), !snapshot.isOfOneProgram,
      let primary = device(.output), resolution.outputs.count > 1
    else { return nil }
    return CombineSpec(
      outputs: resolution.outputs, primary: primary.name, map: primary.channelMap)
  }

  /// The remap that the mode needs on a device; nil if the hardware already matches, the server
  /// loads no modules, or it refused this one.
  func preferredRemap(on device: Device) throws(SessionError) -> RemapSpec? {
    let direction = device.direction
    guard let routing = try ChannelRouting.make(mode.preferences(direction), on: device),
      !routing.isIdentity(on: device.channelMap), input.capabilities.moduleLoading,
      !lacks(.chain(direction)), !snapshot.isOfOneProgram
    else { return nil }
    // A mix of one channel is that channel.
    if routing.masterMap == .mono, device.channelMap.count == 1 { return nil }
    let echo = direction == .input ? preferredCanceller.map { _ in Owned.echoName(.input) } : nil
    let combined = direction == .output ? preferredCombination.map { _ in Owned.combineName } : nil
    return RemapSpec(
      direction: direction, master: echo ?? combined ?? device.name, masterMap: routing.masterMap,
      map: routing.map)
  }

  /// The session's devices between the programs that use a device and its hardware. The streams of a program
  /// with its own session may pass by those that another session has made.
  func links(on device: Device) -> [Device] {
    guard snapshot.isOfOneProgram else { return snapshot.chain.links(on: device) }
    let end = snapshot.device(device.direction, named: preferredEnd(on: device))
    return end.map { snapshot.chain.links(to: $0) } ?? []
  }

  /// The device that programs should use: the end of the chain, or the device itself. An impossible
  /// remap is reported as the channel map's error.
  func preferredEnd(on device: Device) -> String {
    // A single program's streams that follow the default use the same device as other programs.
    if snapshot.isOfOneProgram, resolved(device.direction)?.isDefault == true,
      let name = snapshot.server.defaultName(device.direction)
    {
      return name
    }
    let remap = (try? preferredRemap(on: device))?.name
    let echo = preferredCanceller.map { _ in Owned.echoName(device.direction) }
    if device.direction == .input { return remap ?? echo ?? device.name }
    return echo ?? remap ?? preferredCombination.map { _ in Owned.combineName } ?? device.name
  }
}
