internal import PulseTypes

/// A stereo device without hardware, as either kind of server makes it.
struct NullDevice: Sendable, Hashable {
  var direction: Direction
  var name: String
  var description: String
  /// Further properties, such as `device.form_factor`.
  var properties: [(key: String, value: String)]
  /// PipeWire makes the highest the default; PulseAudio goes by form factor and order.
  var priority: Int

  init(
    _ direction: Direction, _ name: String, _ description: String, form: String? = nil,
    icon: String? = nil, bus: String? = nil, priority: Int? = nil
  ) {
    self.direction = direction
    self.name = name
    self.description = description
    // As hardware: a microphone before the monitors of sinks, which count as their sinks.
    self.priority = priority ?? (direction == .input ? 2000 : 1000)
    properties = [
      ("device.form_factor", form), ("device.icon_name", icon), ("device.bus", bus),
    ].compactMap { key, value in value.map { (key, $0) } }
  }

  /// The line that loads it into PulseAudio, at 44100 Hz, which is not the alternate rate: so a
  /// sink's rate can switch. A null source takes no properties: see ``pulseCommand``.
  var pulseModule: String {
    let spec = "rate=44100 channels=2 channel_map=front-left,front-right"
    guard direction == .output else {
      return "module-null-source source_name=\(name) \(spec) description=\"\(description)\""
    }
    let list = properties.map { " \($0.key)=\($0.value)" }.joined()
    return "module-null-sink sink_name=\(name) \(spec)"
      + " sink_properties=\"device.description='\(description)'\(list)\""
  }

  /// The line that gives a null source its properties, in PulseAudio's command language.
  var pulseCommand: String? {
    guard direction == .input, !properties.isEmpty else { return nil }
    let list = properties.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    return "update-source-proplist \(name) \(list)"
  }

  /// The object of PipeWire's own that it is there: like hardware it outlives pipewire-pulse.
  var pipewireObject: String {
    let kind = direction == .input ? "Audio/Source/Virtual" : "Audio/Sink"
    let list = properties.map { " \($0.key) = \"\($0.value)\"" }.joined()
    return """
      { factory = adapter args = { factory.name = support.null-audio-sink node.name = "\(name)" \
      node.description = "\(description)" media.class = "\(kind)" audio.position = [ FL FR ] \
      monitor.channel-volumes = true object.linger = true priority.session = \(priority)\(list) } }
      """
  }

  static func == (one: NullDevice, other: NullDevice) -> Bool {
    one.pipewireObject == other.pipewireObject
  }

  func hash(into hasher: inout Hasher) { hasher.combine(pipewireObject) }
}
