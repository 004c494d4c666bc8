import PulseTypes

/// The checks of values, some of which depend on other values of their mode.
package enum Check {
  static func failure(_ property: Property?, _ value: String, _ message: String) -> SessionError {
    SessionError(
      .invalidValue, stage: .configuration, message, property: property, value: value)
  }

  /// The sample rates that may be preferred, Hz.
  static let rates = 4000...384_000

  static func rate(_ rate: Int, _ property: Property, _ mode: AudioMode) throws(SessionError) {
    guard !rates.contains(rate) else { return }
    throw failure(
      property, String(rate),
      "\(property) is \(rate) Hz; it must be \(rates.lowerBound) to \(rates.upperBound) Hz, "
        + "such as 48000")
  }

  static func buffer(
    _ buffer: BufferDuration, _ property: Property, _ mode: AudioMode
  ) throws(SessionError) {
    let value: String
    switch buffer {
    case .frames(let frames):
      value = "\(frames) frames"
      guard frames > 0 else {
        throw failure(property, value, "the IO buffer must have at least one frame, not \(frames)")
      }
    case .duration(let duration): value = "\(duration.seconds * 1000) ms"
    }
    let duration = buffer.duration(atRate: mode.sampleRate ?? 48000)
    guard duration < .microseconds(500) || duration > .seconds(2) else { return }
    throw failure(
      property, value,
      "the IO buffer is \(value); it must be 0.5 ms to 2 s, such as \"10 ms\" or \"256 frames\"")
  }

  static func offset(
    _ offset: Duration, _ property: Property, _ mode: AudioMode
  ) throws(SessionError) {
    guard offset < .seconds(-5) || offset > .seconds(5) else { return }
    throw failure(
      property, "\(offset.seconds * 1000) ms",
      "\(property) is \(offset.seconds * 1000) ms; it must be -5000 to 5000 ms, such as \"20 ms\"")
  }

  static func volume(
    _ volume: Volume, _ property: Property, _ mode: AudioMode
  ) throws(SessionError) {
    guard volume.fraction > 3 else { return }
    throw failure(
      property, volume.description,
      "\(property) is \(volume); it must be 0 % to 300 %, such as \"80 %\" or \"-6 dB\"")
  }

  static func devices(
    _ matchers: [DeviceMatcher], _ property: Property, _ mode: AudioMode
  ) throws(SessionError) {
    guard !matchers.isEmpty else {
      throw failure(
        property, "[]",
        "an empty list of devices matches nothing; leave the key out to keep the device")
    }
    try count(matchers.reduce(0) { $0 + $1.words }, property)
    for matcher in matchers { try self.matcher(matcher, property.rawValue, property) }
  }

  static func ports(
    _ ports: [PortMatcher], _ property: Property, _ mode: AudioMode
  ) throws(SessionError) {
    guard !ports.isEmpty else {
      throw failure(property, "[]", "an empty list of ports matches nothing; leave the key out")
    }
    try count(ports.count, property)
    for case .name(let port) in ports {
      try name(port, property)
      guard !port.hasPrefix("type:") else {
        let types = Words.list(PortType.allCases.map(\.rawValue), last: "or")
        throw failure(
          property, port, "\"\(port)\" in \(property) is no port type; a type is \(types)")
      }
    }
  }

  /// What is stored is a profile, whose size is limited.
  private static func count(_ words: Int, _ property: Property) throws(SessionError) {
    guard words > 256 else { return }
    throw failure(property, "\(words)", "\(property) has \(words) names; at most 256 make sense")
  }

  /// - Parameters:
  ///   - place: the property or the key of a profile, for the message.
  ///   - property: the property, if it is one.
  ///   - depth: in how many others it is.
  package static func matcher(
    _ matcher: DeviceMatcher, _ place: String, _ property: Property? = nil, depth: Int = 0
  ) throws(SessionError) {
    switch matcher {
    case .default, .portType: return
    case .name(let word), .formFactor(let word): try name(word, in: place, property)
    case .properties(let properties):
      guard !properties.isEmpty else {
        throw failure(
          property, "{}", "an empty table of properties in \(place) matches nothing")
      }
      for (key, value) in properties {
        try name(key, in: place, property)
        try name(value, in: place, property)
      }
    case .all(let parts):
      guard !parts.isEmpty else {
        throw failure(property, "[]", "an empty list in \(place) matches nothing")
      }
      guard depth < 8 else {
        throw failure(
          property, "",
          "a condition in \(place) is within more than 8 others; at most 8 make sense")
      }
      for part in parts { try self.matcher(part, place, property, depth: depth + 1) }
    }
  }

  /// No server accepts a name of more than 128 bytes; a control character is a mistake or an
  /// attack.
  static func name(_ name: String, _ property: Property) throws(SessionError) {
    try self.name(name, in: property.rawValue, property)
  }

  private static func name(
    _ name: String, in place: String, _ property: Property?
  ) throws(SessionError) {
    guard !name.isEmpty else { throw failure(property, "", "a name in \(place) is empty") }
    guard name.utf8.count <= 256 else {
      throw failure(
        property, String(name.prefix(40)) + "…",
        "a name in \(place) is \(name.utf8.count) bytes long; at most 256 make sense")
    }
    guard name.unicodeScalars.allSatisfy({ !$0.isControl }) else {
      let visible = name.unicodeScalars.map { scalar in
        scalar.escaped(asASCII: scalar.isControl)
      }.joined()
      throw failure(
        property, visible, "the name \"\(visible)\" in \(place) has a control character")
    }
  }

  static func channels(
    _ channels: ChannelSelection, _ property: Property, _ mode: AudioMode
  ) throws(SessionError) {
    guard case .positions(let positions) = channels else { return }
    guard ChannelMap.standard(channels: positions.count) == nil else { return }
    throw failure(
      property, "\(positions.count) channels",
      "\(property) has \(positions.count) channels; there are standard layouts for 1 (mono), "
        + "2 (stereo), 4 (quad), 6 (5.1) and 8 (7.1)")
  }

  static func polarPattern(
    _ pattern: PolarPattern, _ property: Property, _ mode: AudioMode
  ) throws(SessionError) {
    let value = pattern.rawValue
    guard mode.preferredInput != nil, mode.inputPort != nil else {
      throw SessionError(
        .missingDataSourceName, stage: .configuration,
        "polar pattern \"\(value)\" needs to know the data source: set input.prefer and input.port",
        property: property, value: value)
    }
    guard pattern != .subcardioid else {
      throw SessionError(
        .polarPatternNotSupported, stage: .configuration,
        "\"subcardioid\" cannot be made from the channels of a device; "
          + "stereo, omnidirectional and cardioid can",
        property: property, value: value)
    }
  }
}
