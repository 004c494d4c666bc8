import PulseTypes

extension Setting {
  /// The property of the state under which a restore is listed.
  var stateProperty: String {
    switch self {
    case .cardProfile: "category"
    case .codec: "outputCodec"
    case .rate: "sampleRate"
    case .latency: "ioBufferDuration"
    case .defaultDevice(let direction), .stream(let direction, _):
      direction == .input ? "preferredInput" : "preferredOutput"
    case .port(let direction, _): direction == .input ? "inputPort" : "outputPort"
    case .chain(let direction): direction == .input ? "channelMap" : "outputChannelMap"
    case .combination: "category"
    case .echoCanceller: "mode"
    case .others, .trigger, .othersMute, .othersVolume: "options"
    case .volume(let direction, _): direction == .input ? "inputGain" : "outputVolume"
    case .mute(let direction, _): direction == .input ? "inputMuted" : "outputMuted"
    case .latencyOffset: "inputLatencyOffset"
    }
  }
}
