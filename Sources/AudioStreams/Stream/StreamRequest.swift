import PulseTypes

/// What to ask the server for when a realtime stream is opened.
struct StreamRequest: Sendable {
  /// Input records, output plays.
  var direction: Direction
  /// The server's address; nil means the environment's.
  var server: String?
  /// The name under which the server lists the stream.
  var name: String
  /// The device's name; nil follows the default.
  var device: String?
  /// Hz; nil takes the device's.
  var rate: Int?
  /// Nil takes the device's.
  var channels: Int?
  /// Exactly these channels of the device, in this order; `mono` mixes all of them. Nil takes the
  /// device's channels. `channels` is their number.
  var channelMap: ChannelMap?
  /// Without `channelMap`: the order in which the device's channels are taken, if it has just these. What is
  /// recorded has one order, whatever inputs follow each other.
  var formerMap: ChannelMap?
  /// Whether the server instead mixes the channels of `channelMap` to those of the device.
  var mixesChannels = false
  /// The `media.role` of the stream; nil is the session's.
  var role: String?
  /// Whether the stream belongs to a program with its own session, so that other sessions leave it
  /// alone.
  var isOwn = false
  /// Whether the program chose the device, so that the session does not move the stream.
  var isFixed = false
  /// Whether the server must not move it either: the stream ends with its device.
  var staysPut = false
  /// Record: the latency of the device. Playback: that of the whole buffer. Nil leaves it to the
  /// server.
  var latency: Duration?
  /// Playback: whether the handler gets `requested` after each request.
  var signalsRequests = false
  /// Playback: whether the stream pauses while the server requests it (`module-role-cork`).
  var pauses = false
  /// How long the server may take to create the stream.
  var timeout = Duration.seconds(5)

  /// Throws `invalidFormat` for impossible values, over which libpulse would abort the program.
  func check() throws(StreamError) {
    if let rate, !SampleSpec.rates.contains(rate) {
      throw StreamError(.invalidFormat, "no stream can have \(rate) Hz (1 to 384000)")
    }
    for count in [channels, channelMap?.count].compactMap(\.self)
    where !SampleSpec.channelCounts.contains(count) {
      throw StreamError(.invalidFormat, "no stream can have \(count) channels (1 to 32)")
    }
    if let channels, let channelMap, channelMap.count != channels {
      throw StreamError(
        .invalidFormat, "no stream can have \(channels) channels in a map of \(channelMap.count)")
    }
  }
}
