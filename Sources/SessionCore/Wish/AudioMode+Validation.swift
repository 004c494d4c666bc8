import PulseTypes

extension AudioMode {
  /// Checks all that can be known without a server.
  ///
  /// Throws `SessionError` with stage `configuration` for the first thing that is wrong.
  public func validate() throws(SessionError) {
    try Check.range(sampleRate, 4000...384_000, .sampleRate, unit: "Hz", example: "48000")
    try validateBuffer()
    try validateOptions()
    try validateMode()
    try validateSpeaker()
    for direction in Direction.allCases { try validate(direction) }
    try validatePolarPattern()
    guard scope != .application || category != .multiRoute else {
      throw Check.failure(
        .scope, "application",
        "scope \"application\" cannot combine outputs, which is everybody's; "
          + "category \"multi-route\" needs scope \"server\"")
    }
  }

  private func validateBuffer() throws(SessionError) {
    guard let ioBufferDuration else { return }
    let property = Property.ioBufferDuration
    switch ioBufferDuration {
    case .frames(let frames):
      guard frames > 0 else {
        throw Check.failure(
          property, "\(frames) frames", "the IO buffer must have at least one frame, not \(frames)")
      }
      try Check.duration(ioBufferDuration.duration(atRate: sampleRate ?? 48000), "\(frames) frames")
    case .duration(let duration):
      try Check.duration(duration, "\(duration.seconds * 1000) ms")
    }
  }

  private func validateOptions() throws(SessionError) {
    let options = options ?? []
    guard !(options.contains(.mixWithOthers) && options.contains(.silenceOthers)) else {
      throw Check.failure(
        .options, "mix-with-others, silence-others",
        "\"mix-with-others\" and \"silence-others\" exclude each other; keep one")
    }
  }

  /// As with AVAudioSession, only who also records has a speaker to choose.
  private func validateSpeaker() throws(SessionError) {
    guard options?.contains(.defaultToSpeaker) == true, category != .playAndRecord else { return }
    throw Check.failure(
      .options, "default-to-speaker",
      "option \"default-to-speaker\" needs category \"play-and-record\"; "
        + "elsewhere set output.port = [\"type:speaker\"]")
  }

  private func validateMode() throws(SessionError) {
    if let mode, cancelsEcho, let category, category != .playAndRecord {
      throw Check.failure(
        .mode, mode.rawValue,
        "mode \"\(mode.rawValue)\" needs both directions: category \"play-and-record\", "
          + "not \"\(category.rawValue)\"")
    }
    guard let echoCanceller else { return }
    let isName = echoCanceller.utf8.allSatisfy {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
    }
    guard !echoCanceller.isEmpty, isName else {
      throw Check.failure(
        .echoCanceller, echoCanceller.unicodeScalars.map { $0.escaped(asASCII: false) }.joined(),
        "an echo canceller is named by small letters and digits, such as \"webrtc\" or \"speex\"")
    }
  }

  private func validate(_ direction: Direction) throws(SessionError) {
    let wish = wish(direction)
    let name = Property.device(direction)
    if let prefer = wish.prefer {
      guard !prefer.isEmpty else {
        throw Check.failure(
          name, "[]",
          "an empty list of devices matches nothing; leave the key out to keep the device")
      }
      for matcher in prefer { try Check.matcher(matcher, name) }
    }
    let portName = Property.port(direction)
    if let ports = wish.port {
      guard !ports.isEmpty else {
        throw Check.failure(
          portName, "[]", "an empty list of ports matches nothing; leave the key out")
      }
      for case .name(let port) in ports { try Check.name(port, portName) }
    }
    if let codec = wish.codec { try Check.name(codec, .outputCodec) }
    try Check.volume(wish.volume, .level(direction))
    try Check.channels(wish.channels, .channels(direction))
    try Check.offset(
      wish.latencyOffset, .latencyOffset(direction))
  }

  private func validatePolarPattern() throws(SessionError) {
    guard let polarPattern else { return }
    let value = polarPattern.rawValue
    guard channelMap == nil else {
      throw Check.failure(
        .polarPattern, value,
        "a polar pattern and a channel map both say which channels to take; keep one of them")
    }
    guard preferredInput != nil, inputPort != nil else {
      throw SessionError(
        .missingDataSourceName, stage: .configuration,
        "polar pattern \"\(value)\" needs to know the data source: set input.prefer and input.port",
        property: .polarPattern, value: value)
    }
    guard polarPattern != .subcardioid else {
      throw SessionError(
        .polarPatternNotSupported, stage: .configuration,
        "\"subcardioid\" cannot be made from the channels of a device; "
          + "stereo, omnidirectional and cardioid can",
        property: .polarPattern, value: value)
    }
  }
}

/// The checks of single values.
private enum Check {
  static func failure(_ property: Property, _ value: String, _ message: String) -> SessionError {
    SessionError(
      .invalidValue, stage: .configuration, message, property: property, value: value)
  }

  static func range(
    _ value: Int?, _ range: ClosedRange<Int>, _ property: Property, unit: String, example: String
  ) throws(SessionError) {
    guard let value, !range.contains(value) else { return }
    throw failure(
      property, String(value),
      "\(property) is \(value) \(unit); it must be \(range.lowerBound) to \(range.upperBound) "
        + "\(unit), such as \(example)")
  }

  static func duration(_ duration: Duration, _ value: String) throws(SessionError) {
    guard duration < .microseconds(500) || duration > .seconds(2) else { return }
    throw failure(
      .ioBufferDuration, value,
      "the IO buffer is \(value); it must be 0.5 ms to 2 s, such as \"10 ms\" or \"256 frames\"")
  }

  static func offset(_ offset: Duration?, _ property: Property) throws(SessionError) {
    guard let offset, offset < .seconds(-5) || offset > .seconds(5) else { return }
    throw failure(
      property, "\(offset.seconds * 1000) ms",
      "\(property) is \(offset.seconds * 1000) ms; it must be -5000 to 5000 ms, such as \"20 ms\"")
  }

  static func volume(_ volume: Volume?, _ property: Property) throws(SessionError) {
    guard let volume, volume.fraction > 3 else { return }
    throw failure(
      property, volume.description,
      "\(property) is \(volume); it must be 0 % to 300 %, such as \"80 %\" or \"-6 dB\"")
  }

  static func matcher(_ matcher: DeviceMatcher, _ property: Property) throws(SessionError) {
    switch matcher {
    case .default, .portType: return
    case .name(let word), .formFactor(let word): try name(word, property)
    case .properties(let properties):
      for (key, value) in properties {
        try name(key, property)
        try name(value, property)
      }
    case .all(let parts):
      for part in parts { try self.matcher(part, property) }
    }
  }

  /// No server takes a longer name than 128 bytes; a control character is a mistake or an attack.
  static func name(_ name: String, _ property: Property) throws(SessionError) {
    guard !name.isEmpty else { throw failure(property, "", "a name in \(property) is empty") }
    guard name.utf8.count <= 256 else {
      throw failure(
        property, String(name.prefix(40)) + "…",
        "a name in \(property) is \(name.utf8.count) bytes long; at most 256 make sense")
    }
    guard name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      let visible = name.unicodeScalars.map { scalar in
        scalar.escaped(asASCII: scalar.properties.generalCategory == .control)
      }.joined()
      throw failure(
        property, visible, "the name \"\(visible)\" in \(property) has a control character")
    }
  }

  static func channels(_ channels: ChannelSelection?, _ property: Property) throws(SessionError) {
    guard case .positions(let positions) = channels else { return }
    guard ChannelMap.standard(channels: positions.count) == nil else { return }
    throw failure(
      property, "\(positions.count) channels",
      "\(property) has \(positions.count) channels; there are standard layouts for 1 (mono), "
        + "2 (stereo), 4 (quad), 6 (5.1) and 8 (7.1)")
  }
}
