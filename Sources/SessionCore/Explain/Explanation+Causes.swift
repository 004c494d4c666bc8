import PulseTypes

/// Causes that several properties have.
extension Explanation {
  /// The hardware in use; nil adds that there is none.
  mutating func device(_ direction: Direction, on snapshot: ServerSnapshot) -> Device? {
    let root = snapshot.chain.defaultRoot(direction)
    let device = root.flatMap { snapshot.isDummy($0) ? nil : $0 }
    if device == nil { causes = ["there is no \(direction.rawValue)"] }
    return device
  }

  mutating func addProcessing(on snapshot: ServerSnapshot) {
    let names = ["module-echo-cancel", "module-role-cork", "module-role-ducking"]
    let modules = names.flatMap { snapshot.modules(named: $0) }.map(\.name)
    let others = (snapshot.sources + snapshot.sinks).compactMap(snapshot.processor)
    let loaded = Array(Set(modules + others)).sorted()
    causes =
      loaded.isEmpty
      ? ["the server has no module that processes sound or acts on roles"]
      : ["the server has loaded \(Words.list(loaded))"]
  }

  /// Adds what the pins on a device ask for; false if there are none.
  @discardableResult
  mutating func addPins(on device: Device, _ kind: String, _ snapshot: ServerSnapshot) -> Bool {
    let pins = snapshot.streams(on: device).filter { $0.properties[Owned.pinKey] == kind }
    causes += pins.map { pin in
      let request =
        pin.properties[Owned.pinLatencyKey].flatMap { Int64($0) }
        .map { Words.milliseconds(.microseconds($0)) } ?? "\(pin.sampleSpec.rate) Hz"
      return "the session's pin asks for \(request)"
    }
    return !pins.isEmpty
  }
}

extension MachineFacts {
  /// The direction to which the hints apply: output for a mode that only plays, or names nothing else.
  var hintDirection: Direction {
    let asked = (state?.properties ?? [:]).compactMapValues(\.preferred)
    var mode = AudioMode()
    if case .string(let word) = asked[.category] { mode.category = Category(rawValue: word) }
    if case .string(let word) = asked[.mode] { mode.mode = Mode(rawValue: word) }
    guard mode.category == nil, !mode.cancelsEcho else { return mode.hintDirection }
    let directions = asked.keys.compactMap(\.row.direction)
    return directions.contains(.input) || !directions.contains(.output) ? .input : .output
  }
}
