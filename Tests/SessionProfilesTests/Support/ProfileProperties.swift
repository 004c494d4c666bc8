import PulseTypes
import SessionCore
import SessionProfiles

/// What must hold of any text that is given as a profile, good or bad: read by the fuzzer
/// (`Tests/Fuzz/run`), and by a test for the texts it found.
enum ProfileProperties {
  /// Takes a text through all that a profile goes through; returns what does not hold.
  static func violation(of text: String) -> String? {
    let parsed: ParsedProfile
    do throws(SessionError) {
      parsed = try Profile.parse(text, name: "f")
    } catch {
      return violation(of: error, "the message of a bad file")
    }
    return stored(text, parsed) ?? written(parsed) ?? planned(parsed)
  }

  /// What is a profile is a stored mode, too, and means the same.
  private static func stored(_ text: String, _ parsed: ParsedProfile) -> String? {
    guard let stored = try? Profile.parse(text, name: "f", allowsSession: true) else {
      return "a profile is no stored mode"
    }
    return stored.mode == parsed.mode ? nil : "a profile means something else in the store"
  }

  /// What was read is written, and read again as the same.
  private static func written(_ parsed: ParsedProfile) -> String? {
    // One that extends another is looked at as a whole with that; without it, it may be none.
    guard parsed.extends == nil else { return nil }
    let text = ProfileWriter.toml(
      parsed.mode, description: parsed.description, match: parsed.match,
      comments: ["": [parsed.description ?? ""]])
    do throws(SessionError) {
      let again = try Profile.parse(text, name: "f")
      guard again.mode == parsed.mode else { return "written, the mode is another:\n\(text)" }
      guard again.match == parsed.match else { return "written, the match is another:\n\(text)" }
      guard again.description == parsed.description else {
        return "written, the description is another:\n\(text)"
      }
      return nil
    } catch {
      return "written, it is no profile: \(error.message)\n\(text)"
    }
  }

  /// The mode is planned on a machine, or refused with a message.
  private static func planned(_ parsed: ParsedProfile) -> String? {
    for matcher in parsed.match.inputs + parsed.match.outputs {
      _ = machine.has(matcher, .input)
      _ = matcher.points
    }
    do throws(SessionError) {
      try parsed.mode.validate()
      let input = PlanInput(mode: parsed.mode, snapshot: machine)
      let plan = try Plan.make(input)
      let state = SessionState(
        input: input, mode: parsed.mode, server: nil, profile: nil, active: true)
      let isMute = state.properties.values.contains { report in
        report.verdict != .applied && report.verdict != .unset && report.reason == nil
      }
      if isMute { return "a verdict has no reason" }
      return plan.steps.map(\.phase) == plan.steps.map(\.phase).sorted()
        ? nil : "the steps are out of order"
    } catch {
      return violation(of: error, "the message of a mode that cannot be")
    }
  }

  private static func violation(of error: SessionError, _ what: String) -> String? {
    guard !error.message.isEmpty else { return "\(what) is empty" }
    for text in [error.message] + error.alternatives {
      let isClean = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
      guard isClean else { return "\(what) has a control character" }
      guard text.utf8.count < 4000 else { return "\(what) has \(text.utf8.count) bytes" }
    }
    return nil
  }

  /// A laptop's card with two ports, a USB microphone, and a monitor.
  private static let machine: ServerSnapshot = {
    let spec = SampleSpec(format: .s16le, rate: 44100, channels: 2)
    let duplex = "output:analog-stereo+input:analog-stereo"
    let ports = [
      DevicePort(
        name: "analog-input-internal-mic", direction: .input, priority: 2, kind: .mic,
        profiles: [duplex]),
      DevicePort(
        name: "analog-input-headset-mic", direction: .input, priority: 1, availability: .no,
        kind: .headset, profiles: [duplex]),
    ]
    let sink = Device(
      direction: .output, index: Index(0), name: "alsa_output.pci.analog-stereo", sampleSpec: spec,
      channelMap: .stereo, card: Index(0))
    let monitor = Device(
      direction: .input, index: Index(1), name: sink.name + ".monitor", sampleSpec: spec,
      channelMap: .stereo, monitor: sink.name)
    let source = Device(
      direction: .input, index: Index(2), name: "alsa_input.pci.analog-stereo", sampleSpec: spec,
      channelMap: .stereo, card: Index(0), ports: ports, activePort: ports[0].name,
      properties: ["device.bus": "pci", "device.form_factor": "internal"])
    let usb = Device(
      direction: .input, index: Index(3), name: "alsa_input.usb-Example-00.mono-fallback",
      sampleSpec: spec, channelMap: .mono, properties: ["device.bus": "usb"])
    let card = Card(
      index: Index(0), name: "alsa_card.pci",
      profiles: [
        CardProfile(name: duplex, sinkCount: 1, sourceCount: 1, priority: 10),
        CardProfile(name: "off", sinkCount: 0, sourceCount: 0, priority: 0),
      ], activeProfile: duplex, ports: ports)
    return ServerSnapshot(
      server: ServerInfo(
        name: "pulseaudio", version: "16.1", sampleSpec: spec, channelMap: .stereo,
        defaultSinkName: sink.name, defaultSourceName: source.name, cookie: 1),
      cards: [card], sinks: [sink], sources: [monitor, source, usb])
  }()
}
