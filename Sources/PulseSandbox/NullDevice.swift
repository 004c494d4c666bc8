internal import PulseTypes

/// A stereo device without hardware, for either kind of server.
struct NullDevice: Sendable, Hashable {
  var direction: Direction
  var name: String
  var description: String
  /// Further properties, such as `device.form_factor`.
  var properties: [String: String]
  /// PipeWire makes the device with the highest priority the default; PulseAudio uses form factor
  /// and order.
  var priority: Int

  init(
    _ direction: Direction, _ name: String, _ description: String, form: String? = nil,
    icon: String? = nil, bus: String? = nil, priority: Int? = nil
  ) {
    self.direction = direction
    self.name = name
    self.description = description
    // Like hardware: a microphone before the monitors of sinks, which have their sinks' priority.
    self.priority = priority ?? (direction == .input ? 2000 : 1000)
    let properties = [
      "device.form_factor": form, "device.icon_name": icon, "device.bus": bus,
    ]
    self.properties = properties.compactMapValues(\.self)
  }

  /// The line that loads it into PulseAudio, at 44100 Hz, which is not the alternate rate: so a
  /// sink's rate can switch. A null source accepts no properties: see ``pulseCommand``.
  var pulseModule: String {
    let spec = "rate=44100 channels=2 channel_map=front-left,front-right"
    guard direction == .output else {
      return "module-null-source source_name=\(name) \(spec) description=\"\(description)\""
    }
    return "module-null-sink sink_name=\(name) \(spec)"
      + " sink_properties=\"device.description='\(description)'\(list)\""
  }

  /// The lines that load an input with tones into PulseAudio: a sink that plays 440 Hz on both
  /// channels and 660 Hz on the left one, whose monitor the input takes. (module-sine-source has one
  /// channel, and a fixed latency of two seconds.)
  var toneModules: [String] {
    func title(_ text: String) -> String { "_properties=\"device.description='\(text)'" }
    let (both, left) = ("\(name)_tone", "\(name)_left")
    let map = "channel_map=front-left,front-right"
    return [
      "module-null-sink sink_name=\(both) rate=48000 channels=2 \(map) "
        + "sink\(title("Tone of the \(description)"))\"",
      "module-remap-sink sink_name=\(left) master=\(both) channels=1 channel_map=mono "
        + "master_channel_map=front-left remix=no sink\(title("Left Tone of the \(description)"))\"",
      "module-sine sink=\(both) frequency=440", "module-sine sink=\(left) frequency=660",
      "module-remap-source source_name=\(name) master=\(both).monitor channels=2 \(map) remix=no "
        + "source\(title(description))\(list)\"",
    ]
  }

  /// The line of PulseAudio's command language that sets a null source's properties.
  var pulseCommand: String? {
    guard direction == .input, !properties.isEmpty else { return nil }
    return "update-source-proplist \(name)\(list)"
  }

  /// The further properties, for PulseAudio.
  private var list: String {
    properties.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
  }

  /// The object in PipeWire itself: like hardware, it outlives pipewire-pulse.
  var pipewireObject: String {
    let kind = direction == .input ? "Audio/Source/Virtual" : "Audio/Sink"
    let list = properties.sorted { $0.key < $1.key }.map { " \($0.key) = \"\($0.value)\"" }.joined()
    return """
      { factory = adapter args = { factory.name = support.null-audio-sink node.name = "\(name)" \
      node.description = "\(description)" media.class = "\(kind)" audio.position = [ FL FR ] \
      monitor.channel-volumes = true object.linger = true priority.session = \(priority)\(list) } }
      """
  }
}
