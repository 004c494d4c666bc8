import PulseTypes

/// Causes that several properties have.
extension Explanation {
  /// The hardware in use; nil adds that there is none.
  mutating func device(_ direction: Direction, on snapshot: ServerSnapshot) -> Device? {
    let device = snapshot.chain.defaultRoot(direction)
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
  /// The direction to which the hints apply: output for a mode that only plays.
  var hintDirection: Direction {
    let category = state?.properties[.category]?.preferred
    let isPlayback = Category.allCases.contains { item in
      category == .string(item.rawValue) && !item.directions.contains(.input)
    }
    return isPlayback ? .output : .input
  }
}
