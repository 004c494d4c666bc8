import CPulseStream

/// What the server granted a realtime stream.
struct StreamGrant: Sendable, Hashable {
  /// Hz.
  var rate: Int
  /// Samples in a frame.
  var channels: Int
  /// Record: the frames that arrive at once. Playback: the frames that are buffered.
  var bufferFrames: Int
  /// The name of the device on which the stream was created.
  var device: String?
  /// How the audio thread runs.
  var scheduling: Scheduling

  init(_ info: ps_info, device: String? = nil, _ scheduling: ps_scheduling) {
    self.device = device
    rate = Int(info.rate)
    channels = Int(info.channels)
    bufferFrames = Int(info.buffer_frames)
    self.scheduling = Scheduling(scheduling)
  }
}
