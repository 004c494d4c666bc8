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

  /// The device in use, behind what the session has made.
  func device(_ direction: Direction) -> Device? {
    let devices = devices(direction)
    guard let program else {
      let name = standard(direction)
      return devices.first { $0.name == name }.flatMap { behind($0) }
    }
    let places = Set(streams(direction).filter { $0.name == program }.map(\.device))
    return devices.first { places == [$0.index] }
  }

  /// The device behind one that a module has made: where that module's own stream is, whatever it was
  /// loaded for.
  private func behind(_ device: Device) -> Device? {
    guard device.name.hasPrefix("audiosession.") else { return device }
    let group = device.properties["node.link-group"]
    let link = streams(device.direction).first { stream in
      stream.ownerModule != nil && stream.ownerModule == device.ownerModule
        || group != nil && stream.properties["node.link-group"] == group
    }
    return devices(device.direction).first { $0.index == link?.device }.flatMap { behind($0) }
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
    case .ioBufferDuration: mode.ioBufferDuration.map { isBuffered($0, direction(of: mode)) }
    default: nil
    }
  }

  /// The properties that an outsider can read.
  static let properties: [Property] = [
    .preferredInput, .preferredOutput, .inputPort, .outputPort, .inputGain, .outputVolume,
    .inputMuted,
    .outputMuted, .inputLatencyOffset, .outputLatencyOffset, .channelMap, .outputChannelMap,
    .sampleRate, .ioBufferDuration,
  ]

  /// The direction whose device has the rate and the buffer.
  private func direction(of mode: AudioMode) -> Direction {
    mode.category == .playback ? .output : .input
  }

  private func isPreferred(_ direction: Direction, _ preferred: [DeviceMatcher]?) -> Bool? {
    preferred.map { matchers in
      device(direction).map { matchers.contains(.name($0.name)) } ?? false
    }
  }

  private func isOn(_ ports: [PortMatcher]?, _ direction: Direction) -> Bool? {
    ports.map { ports in
      device(direction).map { $0.ports.isEmpty || ports.contains(.name($0.activePort ?? "")) }
        ?? false
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
    return map == .swap && standard(direction) == name
      && snapshot.modules.contains {
        $0.argument.contains("_name=\(name) ")
          && $0.argument.contains("master_channel_map=front-right,front-left")
      }
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
