package import PulseTypes

/// The session's echo canceller: a virtual source and sink around a microphone and a speaker.
///
/// It removes the sound played through the sink from the sound recorded by the source. The source
/// has the microphone's channels; the method determines those of the sink (one channel for
/// `webrtc`).
package struct EchoCancellerSpec: Sendable, Hashable, Codable, LinkSpec {
  /// The server's name of the method, such as `webrtc`.
  package var method: String
  /// The source that the echo is taken out of.
  package var input: String
  /// The sink that plays.
  package var output: String
  /// The channels of the source.
  package var map: ChannelMap
  /// Hz of both.
  package var rate: Int

  package static let defaultMethod = "webrtc"

  /// The rate of a canceller for a preferred rate: `webrtc` supports these four.
  package static func rate(for preference: Int?) -> Int {
    [8000, 16000, 32000].first { (preference ?? 48000) <= $0 } ?? 48000
  }

  package static let moduleName = "module-echo-cancel"

  var masters: [NamedDevice] {
    [NamedDevice(direction: .input, name: input), NamedDevice(direction: .output, name: output)]
  }

  /// The arguments to load the module with.
  ///
  /// The gain stays the mode's: `webrtc` would turn the microphone's up and down by itself. On PulseAudio
  /// the volumes of the canceller are those of its masters: with `use_volume_sharing=no` each change of the
  /// sink's volume, as by a volume key, ends the server (16.1 and 17.0: a message of the module has the
  /// number of the request to change the volume).
  package var moduleArgument: String {
    let echo = "\(method) \(rate)"
    var arguments: [(key: String, value: ModuleArguments.Value)] = [
      ("source_name", .text(Owned.echoName(.input))),
      ("source_properties", properties(.input, [(Owned.echoKey, echo)])),
      ("source_master", .text(input)),
      ("sink_name", .text(Owned.echoName(.output))),
      ("sink_properties", properties(.output, [])),
      ("sink_master", .text(output)),
      ("rate", .text(String(rate))),
      ("channels", .text(String(map.count))),
      ("channel_map", .text(map.description)),
      ("aec_method", .text(method)),
    ]
    if method == Self.defaultMethod {
      arguments.append(("aec_args", .text("analog_gain_control=0 digital_gain_control=0")))
    }
    return ModuleArguments.render(arguments)
  }

  private func properties(
    _ direction: Direction, _ more: [(key: String, value: String)]
  ) -> ModuleArguments.Value {
    let own: [(key: String, value: String)] = [
      (Owned.roleKey, Owned.echoRole),
      ("device.description", "Audio session \(direction.rawValue) without echo"),
    ]
    return .properties(own + more)
  }
}
