import AudioSession
import Pulse
import PulseTypes

/// A server as an outsider sees it, and whether it has what a mode asks for: read without the session's code.
struct ServerLook {
  let snapshot: ServerSnapshot
  /// The name of the streams of a program that has a session of its own; nil where all use the default.
  var program: String?

  private var isGraph: Bool { snapshot.server.name != "pulseaudio" }

  private func devices(_ direction: Direction) -> [Device] {
    direction == .input ? snapshot.sources : snapshot.sinks
  }

  private func standard(_ direction: Direction) -> String? {
    direction == .input ? snapshot.server.defaultSourceName : snapshot.server.defaultSinkName
  }

  private func streams(_ direction: Direction) -> [Stream] {
    direction == .input ? snapshot.sourceOutputs : snapshot.sinkInputs
  }

  /// What decides about rates and buffers.
  var lines: [String] {
    var lines: [String] = []
    for device in snapshot.sources + snapshot.sinks {
      let rate = "\(device.sampleSpec.rate) Hz, \(device.configuredLatency)"
      lines.append("\(device.index) \(device.name): \(device.state), \(rate)")
    }
    for stream in snapshot.sourceOutputs + snapshot.sinkInputs {
      let node = stream.properties.filter { $0.key.hasPrefix("node.") }
      let place = stream.device.map { "on \($0)" } ?? "nowhere"
      lines.append("\(stream.index) \(stream.name) \(place), paused: \(stream.isCorked), \(node)")
    }
    return lines
  }

  /// The device in use, behind what the session has made.
  func device(_ direction: Direction) -> Device? { path(direction).last }

  /// The default, or the device of the program's streams, then what is behind it, down to the hardware;
  /// empty if that is not there.
  private func path(_ direction: Direction) -> [Device] {
    let devices = devices(direction)
    let name = standard(direction)
    let places = Set(streams(direction).filter { $0.name == program }.map(\.device))
    var device = devices.first { program == nil ? $0.name == name : places == [$0.index] }
    var path: [Device] = []
    // A person may have moved a link onto itself.
    while let next = device, !path.contains(where: { $0.name == next.name }) {
      path.append(next)
      guard next.name.hasPrefix("audiosession.") else { return path }
      device = behind(next)
    }
    return []
  }

  /// The device behind one that a module has made: where that module's own stream is, whatever it was
  /// loaded for.
  private func behind(_ device: Device) -> Device? {
    if let primary = device.properties["audiosession.primary"] {
      return devices(device.direction).first { $0.name == primary }
    }
    let group = device.properties["node.link-group"]
    let link = streams(device.direction).first { stream in
      stream.ownerModule != nil && stream.ownerModule == device.ownerModule
        || group != nil && stream.properties["node.link-group"] == group
    }
    return devices(device.direction).first { $0.index == link?.device }
  }

  /// What a stream on the device in use forces on PipeWire.
  private func forced(_ key: String, _ direction: Direction) -> String? {
    streams(direction).first {
      $0.device == device(direction)?.index && $0.properties[key] != nil
    }?.properties[key]
  }

  /// Whether the device in use has a property's value of a mode; nil if the mode asks for none.
  func has(_ property: Property, of mode: AudioMode) -> Bool? {
    switch property {
    case .preferredInput: isPreferred(.input, mode.preferredInput)
    case .preferredOutput: isPreferred(.output, mode.preferredOutput)
    case .inputPort: isOn(mode.inputPort, .input)
    case .outputPort: isOn(mode.outputPort, .output)
    case .inputGain: mode.inputGain.map { device(.input)?.volume.isUniformly($0) == true }
    case .outputVolume: mode.outputVolume.map { device(.output)?.volume.isUniformly($0) == true }
    case .inputMuted: mode.inputMuted.map { device(.input)?.isMuted == $0 }
    case .outputMuted: mode.outputMuted.map { device(.output)?.isMuted == $0 }
    case .inputLatencyOffset: mode.inputLatencyOffset.map { isLate($0, .input) }
    case .outputLatencyOffset: mode.outputLatencyOffset.map { isLate($0, .output) }
    case .channelMap: mode.channelMap.map { isSwapped($0, .input) }
    case .outputChannelMap: mode.outputChannelMap.map { isSwapped($0, .output) }
    case .sampleRate: mode.sampleRate.map { runs(at: $0, direction(of: mode)) }
    case .mode: mode.mode.map { $0 == .voiceChat && cancelsEcho }
    case .polarPattern: mode.polarPattern.map { $0 == .cardioid && takesLeft }
    case .category: mode.category.map { isPossible($0, mode) }
    case .ioBufferDuration: mode.ioBufferDuration.map { isBuffered($0, direction(of: mode)) }
    case .options: mode.options.map(treatsOthers)
    // No walk's mode has them.
    case .inputOrientation, .outputCodec: nil
    // They only qualify others.
    case .echoCanceller, .unloadsIdleEchoCanceller, .strict, .holdsAlways, .reapply, .onFailure,
      .scope, .inputRequired, .gainLock, .moveInputStreams, .outputRequired, .moveOutputStreams:
      nil
    }
  }

  /// The direction whose device has the rate and the buffer.
  private func direction(of mode: AudioMode) -> Direction {
    [.playback, .multiRoute].contains(mode.category) ? .output : .input
  }

  private func isPreferred(_ direction: Direction, _ preferred: [DeviceMatcher]?) -> Bool? {
    preferred.map { matchers in
      device(direction).map { device in matchers.contains { matches($0, device) } } ?? false
    }
  }

  /// A name, or the beginning of one.
  private func matches(_ matcher: DeviceMatcher, _ device: Device) -> Bool {
    guard case .name(let name) = matcher else { return false }
    return name.hasSuffix("*") ? device.name.hasPrefix(name.dropLast()) : device.name == name
  }

  /// Whether the other programs' sound is silent, or low, as options ask.
  private func treatsOthers(_ options: Set<CategoryOption>) -> Bool {
    let others = snapshot.sinkInputs.filter { $0.name == "another" && $0.device != nil }
    if options.contains(.silenceOthers) { return others.allSatisfy(\.isMuted) }
    return !options.contains(.duckOthers)
      || others.allSatisfy { stream in
        stream.volume?.values.allSatisfy { $0 <= Volume(fraction: 0.5) } == true
      }
  }

  private func isOn(_ ports: [PortMatcher]?, _ direction: Direction) -> Bool? {
    guard let ports else { return nil }
    guard let device = device(direction) else { return false }
    return device.ports.isEmpty || ports.contains("*")
      || ports.contains(.name(device.activePort ?? ""))
  }

  /// Whether the directions of a category have devices, and several outputs are one.
  private func isPossible(_ category: Category, _ mode: AudioMode) -> Bool {
    switch category {
    case .record: device(.input) != nil
    case .playAndRecord: device(.input) != nil && device(.output) != nil
    case .multiRoute: isCombined(mode.preferredOutput ?? [])
    default: device(.output) != nil
    }
  }

  private func isLate(_ offset: Duration, _ direction: Direction) -> Bool {
    let device = device(direction)
    return snapshot.cards.first { $0.index == device?.card }?.ports.contains {
      $0.name == device?.activePort && $0.latencyOffset == offset
    } ?? false
  }

  /// Only of stereo devices, and the map `swap`.
  private func isSwapped(_ map: ChannelSelection, _ direction: Direction) -> Bool {
    let name = direction == .input ? "audiosession.input" : "audiosession.output"
    return map == .swap && path(direction).contains { $0.name == name }
      && snapshot.modules.contains {
        $0.argument.contains("_name=\(name) ")
          && $0.argument.contains("master_channel_map=front-right,front-left")
      }
  }

  /// Whether both defaults lead through an echo canceller on the devices in use.
  private var cancelsEcho: Bool {
    let module = snapshot.modules.first { $0.name == "module-echo-cancel" }
    return Direction.allCases.allSatisfy { direction in
      standard(direction)?.hasPrefix("audiosession.") == true
        && streams(direction).contains { stream in
          stream.ownerModule == module?.index || stream.properties["node.link-group"] != nil
        }
    } && module != nil
  }

  /// Whether programs get the left channel of a stereo device, or all of a mono one.
  private var takesLeft: Bool {
    guard let device = device(.input), device.volume.values.count > 1 else { return true }
    return path(.input).contains { $0.name == "audiosession.input" }
      && snapshot.modules.contains {
        $0.argument.contains("source_name=audiosession.input ")
          && $0.argument.contains("master_channel_map=front-left ")
      }
  }

  /// Whether the default plays on all of these outputs.
  private func isCombined(_ outputs: [DeviceMatcher]) -> Bool {
    guard let name = standard(.output), name.hasPrefix("audiosession.") else { return false }
    let wanted = snapshot.sinks.filter { sink in outputs.contains { matches($0, sink) } }
    let indexes = wanted.map(\.index)
    let combined = snapshot.sinks.first { $0.name == "audiosession.combined" }
    // Asleep it has no streams.
    if combined?.state == .suspended { return indexes.count > 1 }
    let used = streams(.output).filter {
      $0.ownerModule != nil && $0.ownerModule == combined?.ownerModule
    }.compactMap(\.device)
    return indexes.count > 1 && Set(indexes).isSubset(of: used)
  }

  private func runs(at rate: Int, _ direction: Direction) -> Bool {
    guard let device = device(direction) else { return false }
    // On PipeWire a device that runs for nobody shows the rate from before.
    guard isGraph, device.state != .running else { return device.sampleSpec.rate == rate }
    return forced("node.force-rate", direction) == "\(rate)"
  }

  private func isBuffered(_ buffer: BufferDuration, _ direction: Direction) -> Bool {
    guard let device = device(direction) else { return false }
    let rate = Int(device.sampleSpec.rate)
    guard isGraph else {
      let asked = buffer.duration(atRate: rate)
      // Asleep it has no buffer: the session's stream on it has asked for one.
      if device.state == .suspended {
        return streams(direction).contains {
          $0.device == device.index && $0.name == "Audio session latency pin"
        }
      }
      // A device rounds to its frames.
      return abs((device.configuredLatency - asked) / .microseconds(1)) <= 100
    }
    let frames = forced("node.force-quantum", direction).flatMap(Int.init) ?? 0
    let forcedRate = forced("node.force-rate", direction).flatMap(Int.init) ?? rate
    // The nearest power of two.
    let asked = buffer.duration(atRate: forcedRate) / .seconds(1) * Double(forcedRate)
    return frames > 0 && Double(frames) / asked <= 1.5 && Double(frames) / asked >= 0.7
  }
}
