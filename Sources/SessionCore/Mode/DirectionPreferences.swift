import PulseTypes

/// The part of a mode for one direction, so that both are planned alike; constants have no default.
struct DirectionPreferences {
  let prefer: [DeviceMatcher]?
  let isRequired: Bool
  let port: [PortMatcher]?
  let codec: String?
  let polarPattern: PolarPattern?
  let orientation: Orientation?
  let channels: ChannelSelection?
  let volume: Volume?
  let muted: Bool?
  let moveStreams: Bool
  let latencyOffset: Duration?
}

/// For each direction, its properties' tests of whether a mode has a value that needs a device.
private let deviceNeeds = Dictionary(grouping: Property.rows, by: \.direction)
  .mapValues { $0.map(\.needsDevice) }

extension AudioMode {
  func preferences(_ direction: Direction) -> DirectionPreferences {
    switch direction {
    case .input:
      DirectionPreferences(
        prefer: preferredInput, isRequired: inputRequired ?? true, port: inputPort, codec: nil,
        polarPattern: polarPattern, orientation: inputOrientation, channels: channelMap,
        volume: inputGain, muted: inputMuted, moveStreams: moveInputStreams ?? false,
        latencyOffset: inputLatencyOffset.map { .microseconds($0.microseconds) })
    case .output:
      DirectionPreferences(
        prefer: preferredOutput, isRequired: outputRequired ?? true, port: outputPort,
        codec: outputCodec, polarPattern: nil, orientation: nil, channels: outputChannelMap,
        volume: outputVolume, muted: outputMuted, moveStreams: moveOutputStreams ?? false,
        latencyOffset: outputLatencyOffset.map { .microseconds($0.microseconds) })
    }
  }

  /// The direction to which sample rate and buffer duration apply: the output if only the output is
  /// used, otherwise the input.
  var hintDirection: Direction {
    if cancelsEcho { return .input }
    if category != nil { return directions.contains(.input) ? .input : .output }
    return needsDevice(.input) || !needsDevice(.output) ? .input : .output
  }

  /// Whether a property needs a device of the direction.
  private func needsDevice(_ direction: Direction) -> Bool {
    var mode = self
    return deviceNeeds[direction, default: []].contains { $0(&mode) }
  }

  /// Whether the mode has preferences for a direction's device.
  func concerns(_ direction: Direction) -> Bool {
    requires(direction) || hasHints && hintDirection == direction
  }

  /// Whether a device of the direction must exist.
  func requires(_ direction: Direction) -> Bool {
    needsDevice(direction) || directions.contains(direction)
  }

  /// The directions that category and mode require.
  var directions: Set<Direction> {
    (category?.directions ?? []).union(cancelsEcho ? Direction.allCases : [])
  }

  /// Whether the mode removes the output's sound from the input.
  package var cancelsEcho: Bool { mode == .voiceChat || mode == .videoChat }
}
