/// The position of a channel; raw values are PulseAudio's names (libpulse:
/// `pa_channel_position_t`).
public enum ChannelPosition: String, Sendable, Hashable, Codable, CaseIterable {
  case mono
  case frontLeft = "front-left"
  case frontRight = "front-right"
  case frontCenter = "front-center"
  case rearCenter = "rear-center"
  case rearLeft = "rear-left"
  case rearRight = "rear-right"
  case lfe
  case frontLeftOfCenter = "front-left-of-center"
  case frontRightOfCenter = "front-right-of-center"
  case sideLeft = "side-left"
  case sideRight = "side-right"
  case aux0, aux1, aux2, aux3, aux4, aux5, aux6, aux7
  case aux8, aux9, aux10, aux11, aux12, aux13, aux14, aux15
  case aux16, aux17, aux18, aux19, aux20, aux21, aux22, aux23
  case aux24, aux25, aux26, aux27, aux28, aux29, aux30, aux31
  case topCenter = "top-center"
  case topFrontLeft = "top-front-left"
  case topFrontRight = "top-front-right"
  case topFrontCenter = "top-front-center"
  case topRearLeft = "top-rear-left"
  case topRearRight = "top-rear-right"
  case topRearCenter = "top-rear-center"
}

/// The positions of a device's or stream's channels, in order (libpulse: `pa_channel_map`).
public struct ChannelMap: Sendable, Hashable, Codable, CustomStringConvertible {
  /// One position per channel.
  public var positions: [ChannelPosition]

  /// Makes a map from positions.
  public init(_ positions: [ChannelPosition]) { self.positions = positions }

  /// The number of channels.
  public var count: Int { positions.count }

  /// PulseAudio's syntax, comma separated, as in module arguments.
  public var description: String { positions.map(\.rawValue).joined(separator: ",") }

  /// One channel.
  public static let mono = ChannelMap([.mono])
  /// Left and right.
  public static let stereo = ChannelMap([.frontLeft, .frontRight])
  /// Four corners.
  package static let quad = ChannelMap([.frontLeft, .frontRight, .rearLeft, .rearRight])

  /// The standard layout for a number of channels; nil if there is none.
  ///
  /// 1 mono, 2 stereo, 4 quad, 6 5.1, 8 7.1 (libpulse: `pa_channel_map_init_auto`, ALSA's order).
  package static func standard(channels: Int) -> ChannelMap? {
    let surround: [ChannelPosition] = quad.positions + [.frontCenter, .lfe]
    return switch channels {
    case 1: mono
    case 2: stereo
    case 4: quad
    case 6: ChannelMap(surround)
    case 8: ChannelMap(surround + [.sideLeft, .sideRight])
    default: nil
    }
  }

  /// Reads the bare value.
  public init(from decoder: any Decoder) throws {
    positions = try decoder.singleValueContainer().decode([ChannelPosition].self)
  }

  /// Writes the bare value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(positions)
  }
}
