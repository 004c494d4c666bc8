import AudioSession
import AudioStreams

/// The tones of a sweep or a speaker test.
struct ToneParts {
  var items: [(name: String, segment: TonePlayer.Segment)]

  /// - Throws: `outputNotAvailable` for a channel that the output does not have, `invalidValue` for
  ///   a frequency that its rate cannot have.
  init(_ device: Device, _ command: ToneCommand) throws(SessionError) {
    let names = device.channelMap.positions.map(\.rawValue)
    var chosen: [Int] = []
    for name in command.channel { chosen.append(try Self.number(of: name, names, device)) }
    let tone = { (from: Double, to: Double, channels: [Int]?) in
      TonePlayer.Segment(
        seconds: command.duration.duration.seconds, from: from, to: to,
        amplitude: amplitude(decibels: command.level ?? Double(ToneCommand.usualLevel)),
        channels: channels)
    }
    if let text = command.sweep, let sweep = Sweep(text) {
      try Self.check(text, sweep, device)
      let channels = chosen.isEmpty ? nil : chosen
      items = [("\(text) Hz", tone(sweep.from, sweep.to, channels))]
    } else {
      let channels = chosen.isEmpty ? Array(names.indices) : chosen
      items = channels.map { channel in
        // A subwoofer plays only low sounds.
        let frequency = device.channelMap.positions[channel] == .lfe ? 60.0 : 440.0
        return (names[channel], tone(frequency, frequency, [channel]))
      }
    }
  }

  /// From half of the rate on, another frequency would sound.
  private static func check(_ text: String, _ sweep: Sweep, _ device: Device) throws(SessionError) {
    let rate = Int(device.sampleSpec.rate)
    let highest = (rate - 1) / 2
    guard max(sweep.from, sweep.to) > Double(highest) else { return }
    var possible = text.split(separator: "-").map { part in
      Double(part).map { $0 > Double(highest) } == true ? String(highest) : String(part)
    }
    if possible.first == possible.last { possible = Array(possible.prefix(1)) }
    throw tooHigh(device, "sweep", text, [possible.joined(separator: "-")])
  }

  /// From half of the rate on, a note would be silent.
  ///
  /// - Throws: `invalidValue` for a note that the output's rate cannot have.
  static func check(
    _ chords: [(text: String, pitches: [Int])], _ device: Device
  ) throws(SessionError) {
    let limit = Double(device.sampleSpec.rate) / 2
    func isPossible(_ pitch: Int) -> Bool { Note(pitch: pitch).frequency < limit }
    guard let chord = chords.first(where: { !$0.pitches.allSatisfy(isPossible) }) else { return }
    let highest = (0...127).last(where: isPossible)
    throw tooHigh(device, "note", chord.text, highest.map { [name(of: $0)] } ?? [])
  }

  private static func tooHigh(
    _ device: Device, _ key: String, _ value: String, _ possible: [String]
  ) -> SessionError {
    let rate = Int(device.sampleSpec.rate)
    return SessionError(
      .invalidValue, stage: .device,
      "\(device.name) has \(rate) Hz, so its highest frequency is \((rate - 1) / 2) Hz",
      key: key, value: value, alternatives: possible)
  }

  /// `C#5` for the pitch 73.
  private static func name(of pitch: Int) -> String {
    let names = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"]
    return "\(names[pitch % 12])\(pitch / 12 - 1)"
  }

  private static func number(
    of name: String, _ names: [String], _ device: Device
  ) throws(SessionError) -> Int {
    let whole = ["left": "front-left", "right": "front-right", "center": "front-center"]
    if let number = names.firstIndex(of: whole[name] ?? name) { return number }
    throw SessionError(
      .outputNotAvailable, stage: .device, "\(device.name) has no channel '\(name)'", value: name,
      alternatives: names)
  }
}
