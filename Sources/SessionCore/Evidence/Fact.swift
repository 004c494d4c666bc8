import PulseTypes

/// What can be read to see whether a preference is in effect.
enum Fact {
  case setting(Setting)
  /// The buffer of a device, as the device reports it; otherwise what an open pin was granted.
  case buffer(Direction, device: String)
  /// What a device granted for a rate or buffer: to the open pin, otherwise to an earlier one, unless
  /// the device was unplugged since.
  case grant(Setting, asked: SettingValue)
  /// The channels of a device's hardware.
  case channels(Direction, device: String)
  /// The existence of a device.
  case device(Direction, name: String)
  /// The channels that a stream takes or gives.
  case streamChannels(Direction, Index<Stream>)
  /// The role of a stream.
  case streamRole(Direction, Index<Stream>)
  /// The latency that a stream asks for.
  case streamLatency(Direction, Index<Stream>)

  /// A value, and the answer of the server that has it.
  typealias Found = (value: SettingValue, answer: Reading.Answer)

  /// The server's object.
  var object: String {
    switch self {
    case .setting(let setting), .grant(let setting, _): setting.object
    case .buffer(_, let name), .channels(_, let name): name
    case .device: "server"
    case .streamChannels(let direction, let index), .streamRole(let direction, let index),
      .streamLatency(let direction, let index):
      Setting.stream(direction, index).object
    }
  }

  /// The property of the object, in PulseAudio's terms.
  var label: String {
    switch self {
    case .setting(let setting), .grant(let setting, _): setting.propertyName
    case .buffer, .streamLatency: "latency"
    case .channels, .streamChannels: "channels"
    case .streamRole: "media.role"
    case .device(let direction, _): direction == .input ? "source" : "sink"
    }
  }

  /// The value on a server; nil if it reports none.
  ///
  /// - Parameters:
  ///   - grants: the latencies that open pins were granted.
  ///   - memory: the results of earlier hints.
  func find(
    in snapshot: ServerSnapshot, _ grants: [Setting: Duration], _ memory: HintMemory
  ) -> Found? {
    switch self {
    case .setting(let setting):
      return setting.kind.read(snapshot).map { ($0, setting.kind.answer(in: snapshot)) }
    case .buffer(let direction, let name):
      guard let device = snapshot.device(direction, named: name) else { return nil }
      if device.configuredLatency > .zero {
        return (.duration(device.configuredLatency), .device(direction))
      }
      return grants[.latency(direction, device: name)].map { (.duration($0), .grant) }
    case .grant(let setting, let asked):
      return grant(setting, asked, snapshot, grants, memory).map { ($0, .grant) }
    case .channels(let direction, let name):
      return snapshot.device(direction, named: name).map {
        (.channels($0.channelMap), .device(direction))
      }
    case .device(let direction, let name):
      return snapshot.device(direction, named: name).map { (.name($0.name), .device(direction)) }
    case .streamChannels(let direction, let index):
      return snapshot.stream(direction, at: index).map {
        (.channels($0.channelMap), .stream(direction))
      }
    case .streamRole(let direction, let index):
      return snapshot.stream(direction, at: index)?.properties["media.role"].map {
        (.name($0), .stream(direction))
      }
    case .streamLatency(let direction, let index):
      return snapshot.stream(direction, at: index)?.askedLatency.map {
        (.duration($0), .stream(direction))
      }
    }
  }

  private func grant(
    _ setting: Setting, _ asked: SettingValue, _ snapshot: ServerSnapshot,
    _ grants: [Setting: Duration], _ memory: HintMemory
  ) -> SettingValue? {
    if case .duration(let latency) = asked, snapshot.value(of: setting) == asked,
      let device = snapshot.device(of: setting)
    {
      return snapshot.latency(givenTo: latency, granted: grants[setting], on: device)
        .map(SettingValue.duration)
    }
    let given = memory.outcome(setting, asked: asked, on: snapshot)
    // A pin whose device reported no latency has granted none.
    return asked.duration != nil && given?.duration ?? .zero <= .zero ? nil : given
  }
}

extension PlanContext {
  /// The value of a fact on the predicted server; nil if it is unknown or there is none.
  func value(of fact: Fact) -> SettingValue? {
    switch fact {
    case .setting(let setting): return server.value(of: setting)
    case .buffer(_, let name) where server.isPredicted(name): return nil
    default: return fact.find(in: snapshot, input.grants, input.memory)?.value
    }
  }

  /// What prevents conditions on the predicted server.
  func obstacle(_ conditions: [Condition]) -> Obstacle? {
    conditions.obstacle { fact, _ in value(of: fact) }
  }
}
