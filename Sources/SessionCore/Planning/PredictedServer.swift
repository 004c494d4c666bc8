import PulseTypes

/// The predicted server: a snapshot that a plan changes step by step.
struct PredictedServer {
  /// The server after the steps so far.
  var snapshot: ServerSnapshot
  /// The names of devices that do not exist yet; their values are unknown.
  var predicted: Set<String> = []
  /// Cards whose profile an earlier step changes; their codecs are unknown.
  var changedCards: Set<String> = []
  /// Directions whose default is removed by a profile: the server's next choice is unknown.
  var unknownDefaults: Set<Direction> = []

  init(_ snapshot: ServerSnapshot) { self.snapshot = snapshot }

  /// Whether an earlier step of the plan creates a device.
  func isPredicted(_ device: String) -> Bool { predicted.contains(device) }

  /// The value of a setting; nil if it is unknown before the step runs.
  func value(of setting: Setting) -> SettingValue? { setting.kind.predicted(in: self) }

  /// Whether an earlier step creates a device, or the hardware under it.
  func standsOnPredicted(_ direction: Direction, _ name: String) -> Bool {
    if isPredicted(name) { return true }
    return snapshot.device(direction, named: name).flatMap { snapshot.chain.root(of: $0) }
      .map { isPredicted($0.name) } ?? false
  }

  /// Predicts a step.
  mutating func apply(_ setting: Setting, _ value: SettingValue) {
    setting.kind.predict(value, in: &self)
    snapshot.findLostPlaces()
  }

  mutating func setDefault(_ direction: Direction, _ name: String?) {
    if direction == .input {
      snapshot.server.defaultSourceName = name
    } else {
      snapshot.server.defaultSinkName = name
    }
  }

  mutating func edit(_ direction: Direction, _ name: String, _ change: (inout Device) -> Void) {
    snapshot.edit(direction, named: name, change)
  }

  mutating func edit(
    _ direction: Direction, _ index: Index<Stream>, _ change: (inout Stream) -> Void
  ) {
    snapshot.edit(direction, at: index, change)
  }

  static func devices(_ direction: Direction) -> WritableKeyPath<ServerSnapshot, [Device]> {
    direction == .input ? \.sources : \.sinks
  }

  static func streams(_ direction: Direction) -> WritableKeyPath<ServerSnapshot, [Stream]> {
    direction == .input ? \.sourceOutputs : \.sinkInputs
  }
}
