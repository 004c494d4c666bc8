package import PulseTypes

/// The hardware channels that a remap uses, and the positions that it presents.
package struct ChannelRouting: Sendable, Hashable {
  /// The hardware channels in order; `mono` mixes all of them.
  package var masterMap: ChannelMap
  /// The positions presented.
  package var map: ChannelMap

  /// Whether the hardware has exactly these channels, in any order, so that no remap is needed.
  func isIdentity(on hardware: ChannelMap) -> Bool {
    masterMap == map && Set(map.positions) == Set(hardware.positions)
      && map.count == hardware.count
  }
}

extension ChannelRouting {
  /// The routing for a direction's preferences on a device; nil if they do not concern channels.
  static func make(
    _ preferences: DirectionPreferences, on device: Device
  ) throws(SessionError) -> ChannelRouting? {
    let turns = (preferences.orientation ?? .none).quarterTurns
    guard preferences.polarPattern != nil || preferences.channels != nil || turns != 0 else {
      return nil
    }
    let hardware = device.channelMap
    var base = hardware.positions
    if let pattern = preferences.polarPattern {
      base = try channels(pattern, hardware, device)
    } else if let channels = preferences.channels {
      base = try self.channels(channels, hardware, device)
    } else if turns != 0 {
      base = standardOrder(of: base)
    }
    let turned = try turn(base, turns, preferences, device)
    guard let map = ChannelMap.standard(channels: turned.count) else {
      // Only an unchanged layout that is not standard gets here; it stays.
      return ChannelRouting(masterMap: ChannelMap(turned), map: hardware)
    }
    // All channels of hardware with a non-standard layout are left alone, except if they are to be stereo.
    let isUntouched =
      preferences.polarPattern != .stereo && turned == hardware.positions
      && Set(turned) != Set(map.positions)
    return ChannelRouting(masterMap: ChannelMap(turned), map: isUntouched ? hardware : map)
  }

  /// The hardware's channels in the order of the standard layout, in which they are turned;
  /// unchanged if they are not in that layout.
  private static func standardOrder(of hardware: [ChannelPosition]) -> [ChannelPosition] {
    guard let standard = ChannelMap.standard(channels: hardware.count)?.positions,
      Set(standard) == Set(hardware)
    else { return hardware }
    return standard
  }

  private static func channels(
    _ pattern: PolarPattern, _ hardware: ChannelMap, _ device: Device
  ) throws(SessionError) -> [ChannelPosition] {
    let positions = hardware.positions
    switch pattern {
    case .stereo:
      let distinct = positions.unique
      guard distinct.count >= 2 else {
        throw SessionError(
          .polarPatternNotSupported, stage: .device,
          "\"stereo\" needs two distinct channels and \(device.name) has one (mono); "
            + "true stereo, never one channel twice",
          property: .polarPattern, value: pattern.rawValue,
          alternatives: ["omnidirectional: all channels mixed", "cardioid: the one channel"])
      }
      let front: [ChannelPosition] = [.frontLeft, .frontRight]
      return front.allSatisfy(distinct.contains) ? front : Array(distinct.prefix(2))
    case .omnidirectional: return [.mono]
    case .cardioid:
      let order: [ChannelPosition] = [.mono, .frontCenter, .frontLeft]
      return [order.first(where: positions.contains) ?? positions.first ?? .mono]
    case .subcardioid:
      throw SessionError(
        .polarPatternNotSupported, stage: .configuration,
        "\"subcardioid\" cannot be made from the channels of a device",
        property: .polarPattern, value: pattern.rawValue)
    }
  }

  private static func channels(
    _ selection: ChannelSelection, _ hardware: ChannelMap, _ device: Device
  ) throws(SessionError) -> [ChannelPosition] {
    let wanted = selection.positions
    let missing = wanted.filter { !hardware.positions.contains($0) }
    guard missing.isEmpty || wanted == [.mono] else {
      let isMono = hardware.count == 1
      throw SessionError(
        .invalidValue, stage: .device,
        "\(device.name) has no channel \(Words.list(missing.map { "'\($0.rawValue)'" }))"
          + (isMono ? ": it is mono" : ""),
        property: .channels(device.direction),
        value: wanted.map(\.rawValue).joined(separator: ","),
        alternatives: ["it has: \(hardware)"])
    }
    return wanted
  }

  /// Turns positions by quarters: a half turn exchanges left and right, a quarter needs four
  /// corners.
  private static func turn(
    _ base: [ChannelPosition], _ turns: Int, _ preferences: DirectionPreferences, _ device: Device
  ) throws(SessionError) -> [ChannelPosition] {
    if turns == 0 || (base.count == 1 && turns == 2) { return base }
    if base.count == 2, turns == 2 { return base.reversed() }
    // Four channels that the mode has ordered are a quad layout; four others are not.
    let isQuad = preferences.channels != nil || Set(base) == Set(ChannelMap.quad.positions)
    guard base.count == 4, isQuad else {
      let orientation = preferences.orientation ?? .none
      let possible: [String] =
        base.count <= 2
        ? ["none, landscape-left: as it is", "landscape-right: a half turn"]
        : ["none, landscape-left: as it is"]
      throw SessionError(
        .orientationNotSupported, stage: .device,
        "orientation \"\(orientation.rawValue)\" needs four channels (quad) to turn, "
          + "and \(device.name) gives \(base.count == 4 ? "\(device.channelMap)" : "\(base.count)")",
        property: .inputOrientation, value: orientation.rawValue, alternatives: possible)
    }
    return (0..<turns).reduce(base) { now, _ in
      // Quad order is FL FR RL RR; a quarter turn moves FL to FR, FR to RR, RR to RL, RL to FL.
      [now[2], now[0], now[3], now[1]]
    }
  }
}
