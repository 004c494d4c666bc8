import CPulseStream
import Pulse
import PulseTypes

/// What the server granted a realtime stream.
struct StreamGrant: Sendable, Hashable {
  /// Hz.
  var rate: Int
  /// Samples in a frame.
  var channels: Int
  /// What the channels are.
  var channelMap: ChannelMap
  /// Record: the frames that arrive at once. Playback: the frames that are buffered. At most ten seconds,
  /// whatever the server says: memory and time limits follow it.
  var bufferFrames: Int
  /// The name of the device on which the stream was created.
  var device: String?
  /// How the audio thread runs.
  var scheduling: Scheduling

  init(_ info: ps_info, device: String? = nil, _ scheduling: ps_scheduling) {
    self.device = device
    rate = Int(info.rate)
    channels = Int(info.channels)
    channelMap = withUnsafeBytes(of: info.positions) { positions in
      ChannelMap(
        positions.bindMemory(to: Int32.self).prefix(Int(info.channels)).map {
          ChannelPosition(number: Int($0))
        })
    }
    bufferFrames = min(Int(info.buffer_frames), rate * 10)
    self.scheduling = Scheduling(scheduling)
  }
}
