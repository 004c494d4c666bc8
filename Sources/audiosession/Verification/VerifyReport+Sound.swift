import AudioSession
import AudioStreams

extension VerifyReport {
  /// The hardware channel of each channel. For the hardware itself only a known sound could show
  /// that; for it, this reports the number of distinct channels.
  static func channels(
    _ state: SessionState, _ measured: DeviceMeasurement, _ isProcessed: Bool,
    _ hardware: [ChannelPosition], _ claimed: [ChannelPosition]
  ) -> Check {
    let preferred =
      state.properties[.channelMap]?.preferred ?? state.properties[.polarPattern]?.preferred
    var check = Check(
      name: "channels", wanted: preferred, claimed: .strings(claimed.map(\.rawValue)), isOK: true)
    guard let order = measured.order else {
      let count = distinct(measured.check)
      check.measured = count == 0 ? nil : .string("\(count) distinct")
      check.detail = "the hardware itself: which is which, only its maker knows"
      return check
    }
    guard !measured.check.findings.contains(.silent) else {
      check.detail = "nothing is heard, so the channel order cannot be determined"
      return check
    }
    guard !isProcessed || !order.contains([]) else {
      check.detail =
        "the echo canceller changes the sound, so the channel order cannot be determined"
      return check
    }
    check.measured = .strings(order.enumerated().map { words($1, $0, hardware, claimed) })
    check.isOK =
      order.count == claimed.count
      && zip(order, claimed).allSatisfy { found, position in
        found.contains { isMeant($0, by: position, hardware) }
      }
    if order.contains(where: { $0.count > 1 }) {
      check.detail =
        "the hardware's channels carry the same, so the channel order cannot be determined"
    }
    return check
  }

  private static func distinct(_ check: SignalCheck) -> Int {
    let copies = check.findings.compactMap { finding -> Int? in
      switch finding {
      case .deadChannel(let channel): channel
      case .dualMono(_, let copy): copy
      case .silent, .clipping, .offset: nil
      }
    }
    return check.findings.contains(.silent) ? 0 : check.levels.count - Set(copies).count
  }

  private static func isMeant(
    _ match: ChannelMatch, by position: ChannelPosition, _ hardware: [ChannelPosition]
  ) -> Bool {
    switch match {
    case .channel(let number): hardware.indices.contains(number) && hardware[number] == position
    case .mix: position == .mono
    }
  }

  /// The claimed match if it is among the possible ones; otherwise the first of them.
  private static func words(
    _ found: Set<ChannelMatch>, _ number: Int, _ hardware: [ChannelPosition],
    _ claimed: [ChannelPosition]
  ) -> String {
    if claimed.indices.contains(number),
      found.contains(where: { isMeant($0, by: claimed[number], hardware) })
    {
      return claimed[number].rawValue
    }
    let names = found.map { match -> String in
      if case .channel(let number) = match, hardware.indices.contains(number) {
        return hardware[number].rawValue
      }
      return "mix"
    }
    return names.min() ?? "nothing"
  }

  /// One check for each fault that sound can have.
  static func sound(
    _ check: SignalCheck, _ claimed: [ChannelPosition], _ silence: String?
  ) -> [Check] {
    let doctor = "'audiosession doctor' shows what helps"
    let faults: [(name: String, remedy: String?)] = [
      ("silence", silence), ("deadChannel", "a channel has no sound; \(doctor)"),
      ("dualMono", "two channels carry the same; \(doctor)"),
      ("clipping", "the sound clips; lower the gain of the microphone"),
      ("offset", "the sound is not centred on zero; \(doctor)"),
    ]
    let name = { (channel: Int) in
      claimed.indices.contains(channel) ? claimed[channel].rawValue : "channel \(channel + 1)"
    }
    var found: [String: [String]] = [:]
    for finding in check.findings {
      switch finding {
      case .silent: found["silence", default: []].append("every channel")
      case .deadChannel(let channel): found["deadChannel", default: []].append(name(channel))
      case .dualMono(let one, let other):
        // A map may want one hardware channel twice.
        guard !(claimed.indices.contains(other) && claimed[one] == claimed[other]) else { continue }
        found["dualMono", default: []].append("\(name(one)) = \(name(other))")
      case .clipping(let channel, let samples):
        found["clipping", default: []].append("\(name(channel)): \(samples) samples")
      case .offset(let channel, let value):
        let percent = (value * 1000).rounded() / 10
        found["offset", default: []].append("\(name(channel)): \(percent) %")
      }
    }
    return faults.map { fault in
      let words = found[fault.name]
      return Check(
        name: fault.name, measured: .strings(words ?? []), isOK: words == nil,
        detail: words == nil ? nil : fault.remedy)
    }
  }

  /// The way from the output back.
  static func loop(_ loop: LoopMeasurement, _ output: [ChannelPosition]) -> [Check] {
    let latency = loop.latency?.seconds
    let trip = Check(
      name: "roundTrip", measured: latency.map { .number(($0 * 1e4).rounded() / 1e4) },
      isOK: latency != nil,
      detail: latency == nil ? "the sweep was not recorded" : "over \(loop.source)")
    // Through the air every microphone hears every speaker.
    guard loop.isMonitor, latency != nil else { return [trip] }
    let heard = loop.heard.map { channel in
      channel.map { output.indices.contains($0) ? output[$0].rawValue : "\($0)" } ?? "nothing"
    }
    let claimed = output.map(\.rawValue)
    let order = Check(
      name: "outputChannels", claimed: .strings(claimed), measured: .strings(heard),
      isOK: heard == claimed)
    return [order, trip]
  }
}
