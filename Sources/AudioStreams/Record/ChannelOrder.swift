import PulseTypes

/// In which order a sound file has more than two channels, whose positions are known.
///
/// A WAV file names them, in the order of its mask. FLAC names none: the number of channels says which they
/// are.
struct ChannelOrder: Hashable {
  /// The positions in the order of the file.
  let positions: [ChannelPosition]
  /// For each channel of the file the index of the one in the sound.
  let sources: [Int]

  /// Nil if the format cannot say what the channels are; they then stay as they are.
  init?(of map: ChannelMap, isFLAC: Bool) {
    let places = map.positions.compactMap { Self.inMask.firstIndex(of: $0) }
    guard map.count > 2, Set(places).count == map.count else { return nil }
    sources = map.positions.indices.sorted { places[$0] < places[$1] }
    let positions = sources.map { map.positions[$0] }
    self.positions = positions
    guard isFLAC else { return }
    // Where there are no rear channels, FLAC's are those of the sides.
    let rear = positions.map { position -> ChannelPosition in
      switch position {
      case .sideLeft where !positions.contains(.rearLeft): .rearLeft
      case .sideRight where !positions.contains(.rearRight): .rearRight
      default: position
      }
    }
    let unnamed = ChannelMap.inWAV(map.count)?.positions
    guard positions == unnamed || rear == unnamed else { return nil }
  }

  /// Whether the sound has the order already.
  var isKept: Bool { sources == Array(sources.indices) }

  /// The `dwChannelMask` of a WAV file.
  var mask: UInt32 {
    positions.reduce(0) { $0 | 1 << UInt32(Self.inMask.firstIndex(of: $1) ?? 0) }
  }

  /// The positions by libsndfile's numbers.
  var numbers: [Int32] {
    positions.map { Int32(Self.bySoundLibrary.firstIndex(of: $0) ?? 0) }
  }

  /// Interleaved samples in the order of the file.
  func ordered(_ samples: UnsafeBufferPointer<Float>) -> [Float] {
    [Float](unsafeUninitializedCapacity: samples.count) { ordered, count in
      for start in stride(from: 0, to: samples.count, by: sources.count) {
        for (channel, source) in sources.enumerated() {
          ordered.initializeElement(at: start + channel, to: samples[start + source])
        }
      }
      count = samples.count
    }
  }

  /// The positions by the bits of a WAV's mask.
  private static let inMask: [ChannelPosition] = [
    .frontLeft, .frontRight, .frontCenter, .lfe, .rearLeft, .rearRight, .frontLeftOfCenter,
    .frontRightOfCenter, .rearCenter, .sideLeft, .sideRight, .topCenter, .topFrontLeft,
    .topFrontCenter, .topFrontRight, .topRearLeft, .topRearCenter, .topRearRight,
  ]

  /// The positions by libsndfile's numbers, from `SF_CHANNEL_MAP_INVALID` on. Of two numbers WAV takes the
  /// first.
  static let bySoundLibrary: [ChannelPosition?] = [
    nil, .mono, .frontLeft, .frontRight, .frontCenter, .frontLeft, .frontRight, .frontCenter,
    .rearCenter, .rearLeft, .rearRight, .lfe, .frontLeftOfCenter, .frontRightOfCenter, .sideLeft,
    .sideRight, .topCenter, .topFrontLeft, .topFrontRight, .topFrontCenter, .topRearLeft,
    .topRearRight, .topRearCenter,
  ]
}

extension ChannelMap {
  /// The order of a number of channels in a WAV or FLAC file that does not name them; nil for one
  /// or two, which need no name, and for more than eight.
  static func inWAV(_ channels: Int) -> ChannelMap? {
    let front = [ChannelPosition.frontLeft, .frontRight, .frontCenter]
    return switch channels {
    case 3: ChannelMap(front)
    case 4: .quad
    case 5: ChannelMap(front + [.rearLeft, .rearRight])
    case 6: ChannelMap(front + [.lfe, .rearLeft, .rearRight])
    case 7: ChannelMap(front + [.lfe, .rearCenter, .sideLeft, .sideRight])
    case 8: ChannelMap(front + [.lfe, .rearLeft, .rearRight, .sideLeft, .sideRight])
    default: nil
    }
  }
}
