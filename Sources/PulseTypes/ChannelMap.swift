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
    positions = try [ChannelPosition](from: decoder)
  }

  /// Writes the bare value.
  public func encode(to encoder: any Encoder) throws { try positions.encode(to: encoder) }
}
