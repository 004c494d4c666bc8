package import PulseTypes

/// Where and how to open a stream of this program, for a session of one program, whose mode is met
/// by the program's own streams. If all values are nil, the stream is opened like any program's.
package struct StreamPlace: Sendable, Hashable {
  /// Whether the stream belongs to a program with its own session, so that other sessions leave it
  /// alone.
  package var isOwn = false
  /// The `media.role` of the stream, that of the session's mode; nil is the session's own.
  package var role: String?
  /// The device's name; nil follows the default.
  package var device: String?
  /// Hz; nil takes the device's.
  package var rate: Int?
  /// How long the device's buffer shall be; nil leaves it to the stream.
  package var buffer: Duration?
  /// The hardware channels that the stream takes, in its order; nil takes all as they are. `mono`
  /// mixes them.
  package var channels: ChannelMap?
  /// As which positions the stream presents those channels.
  package var presented: ChannelMap?
  /// Whether these are all of the hardware's channels: mixing by position then exchanges them only, and
  /// another device is heard, too.
  package var areAll = false

  /// As any program's stream.
  package init() {}

  /// Whether streams of both take the same rate and channels.
  package func hasFormat(of other: StreamPlace) -> Bool {
    rate == other.rate && channels == other.channels
  }
}

extension PlanInput {
  /// The preferred buffer of a direction, for a stream of this program.
  package func buffer(_ direction: Direction) -> Duration? { PlanContext(self).buffer(direction) }

  /// Where a stream of this program is to be opened.
  package func place(_ direction: Direction) -> StreamPlace {
    var place = StreamPlace()
    guard snapshot.isOfOneProgram else { return place }
    place.isOwn = true
    let context = PlanContext(self)
    if mode.hintDirection == direction {
      place.rate = mode.sampleRate
      place.buffer = context.buffer(direction)
    }
    guard let device = context.device(direction) else { return place }
    let isAsked = mode.preferences(direction).prefer != nil
    let isDefault = context.resolved(direction)?.isDefault == true
    place.device = isAsked && !isDefault ? device.name : nil
    let routing = (try? ChannelRouting.make(mode.preferences(direction), on: device)).flatMap { $0 }
    if let routing, !routing.isIdentity(on: device.channelMap) {
      (place.channels, place.presented) = (routing.masterMap, routing.map)
      place.areAll = Set(routing.masterMap.positions) == Set(device.channelMap.positions)
    }
    return place
  }
}
