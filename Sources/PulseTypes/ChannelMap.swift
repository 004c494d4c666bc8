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
  case aux0
  case aux1
  case aux2
  case aux3
  case aux4
  case aux5
  case aux6
  case aux7
  case aux8
  case aux9
  case aux10
  case aux11
  case aux12
  case aux13
  case aux14
  case aux15
  case aux16
  case aux17
  case aux18
  case aux19
  case aux20
  case aux21
  case aux22
  case aux23
  case aux24
  case aux25
  case aux26
  case aux27
  case aux28
  case aux29
  case aux30
  case aux31
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
