/// The volumes of all channels of a device or stream (libpulse: `pa_cvolume`).
public struct ChannelVolumes: Sendable, Hashable, Codable {
  /// One volume per channel.
  public var values: [Volume]

  /// Makes volumes from a list.
  package init(_ values: [Volume]) { self.values = values }

  /// The same volume on a number of channels.
  package init(_ volume: Volume, channels: Int) {
    values = Array(repeating: volume, count: channels)
  }

  /// The loudest channel; 0 without channels.
  public var loudest: Volume { values.max() ?? .muted }

  /// Whether every channel has this volume.
  package func isUniformly(_ volume: Volume) -> Bool { values.allSatisfy { $0 == volume } }

  /// Reads the bare value.
  public init(from decoder: any Decoder) throws { values = try [Volume](from: decoder) }

  /// Writes the bare value.
  public func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
}
