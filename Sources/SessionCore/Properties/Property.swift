package import PulseTypes

/// A property of a mode, by its field in `AudioMode` and its key in the state's JSON.
///
/// The order is that of profile files, of the state's JSON and of tables for users.
public enum Property: String, Sendable, Hashable, Codable, CaseIterable, CodingKeyRepresentable {
  /// The properties of the session as a whole.
  case category, mode, echoCanceller, unloadsIdleEchoCanceller, options, sampleRate
  case ioBufferDuration, strict, holdsAlways, reapply, onFailure, scope
  /// The properties of the input.
  case preferredInput, inputRequired, inputPort, polarPattern, inputOrientation, channelMap
  case inputGain, gainLock, inputMuted, moveInputStreams, inputLatencyOffset
  /// The properties of the output.
  case preferredOutput, outputRequired, outputPort, outputCodec, outputChannelMap, outputVolume
  case outputMuted, moveOutputStreams, outputLatencyOffset
}

extension Property {
  /// Its row: the only switch over the cases.
  package var row: PropertyRow {
    switch self {
    case .category: .category
    case .mode: .mode
    case .echoCanceller: .echoCanceller
    case .unloadsIdleEchoCanceller: .unloadsIdleEchoCanceller
    case .options: .options
    case .sampleRate: .sampleRate
    case .ioBufferDuration: .ioBufferDuration
    case .strict: .strict
    case .holdsAlways: .holdsAlways
    case .reapply: .reapply
    case .onFailure: .onFailure
    case .scope: .scope
    case .preferredInput: .preferredInput
    case .inputRequired: .inputRequired
    case .inputPort: .inputPort
    case .polarPattern: .polarPattern
    case .inputOrientation: .inputOrientation
    case .channelMap: .channelMap
    case .inputGain: .inputGain
    case .gainLock: .gainLock
    case .inputMuted: .inputMuted
    case .moveInputStreams: .moveInputStreams
    case .inputLatencyOffset: .inputLatencyOffset
    case .preferredOutput: .preferredOutput
    case .outputRequired: .outputRequired
    case .outputPort: .outputPort
    case .outputCodec: .outputCodec
    case .outputChannelMap: .outputChannelMap
    case .outputVolume: .outputVolume
    case .outputMuted: .outputMuted
    case .moveOutputStreams: .moveOutputStreams
    case .outputLatencyOffset: .outputLatencyOffset
    }
  }

  /// The line of a profile's table that sets it, as a remedy shows it.
  ///
  /// - Parameter set: gives the property its value in an empty mode.
  package func line(_ set: (inout AudioMode) -> Void) -> String {
    var mode = AudioMode()
    set(&mode)
    return "\(row.name) = \(row.write(mode) ?? "")"
  }

  package static let rows = allCases.map(\.row)

  /// The properties that a state reports, in its order.
  public static let reported = rows.filter { $0.aspect != nil }.map(\.property)
}

/// The properties that input and output both have.
extension Property {
  package static func device(_ direction: Direction) -> Property {
    direction == .input ? .preferredInput : .preferredOutput
  }

  package static func port(_ direction: Direction) -> Property {
    direction == .input ? .inputPort : .outputPort
  }

  package static func channels(_ direction: Direction) -> Property {
    direction == .input ? .channelMap : .outputChannelMap
  }

  /// The gain or volume of a direction's device.
  package static func level(_ direction: Direction) -> Property {
    direction == .input ? .inputGain : .outputVolume
  }

  package static func muted(_ direction: Direction) -> Property {
    direction == .input ? .inputMuted : .outputMuted
  }

  /// The levels of a direction's device, which the session's own devices before it have, too.
  package static func levels(_ direction: Direction) -> [Property] {
    [.level(direction), .muted(direction)]
  }

  package static func latencyOffset(_ direction: Direction) -> Property {
    direction == .input ? .inputLatencyOffset : .outputLatencyOffset
  }
}

extension Property: Comparable {
  /// Orders as in profile files.
  public static func < (a: Property, b: Property) -> Bool { a.place < b.place }

  private var place: Int { Self.places[self] ?? 0 }
  private static let places = Dictionary(
    uniqueKeysWithValues: allCases.enumerated().map { ($0.element, $0.offset) })
}

extension Property: CustomStringConvertible {
  /// The key in the state's JSON.
  public var description: String { rawValue }
}
