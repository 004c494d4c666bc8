import AudioSession
import PulseTypes
import Testing

@testable import audiosession

/// A server may say anything: through snapshot, plan, state and every view nothing reaches a terminal
/// that it would act on, and nothing ends the program.
@Suite("What a hostile server says")
struct HostileRenderingTests {
  /// Texts that a terminal, a layout or a parser may stumble over.
  static let texts = [
    "\u{1b}[31mred\u{1b}]0;title\u{7}", "\u{9b}2J\u{90}q\u{9c}", "a\nb\r\nc\td\u{b}\u{c}\u{0}",
    "\u{202e}desrever\u{2066}\u{feff}", String(repeating: "x", count: 3000),
    String(repeating: "\u{1b}", count: 500), "e" + String(repeating: "\u{301}", count: 300), "",
    " ", "'\"\\ master=x \" '", "麦克风🎙️👩‍🎤", "\u{fffd}\u{e000}\u{10ffff}", "%s%n%d", "../../etc/passwd",
  ]

  /// Sizes and numbers that lie.
  enum Lie: CaseIterable, Sendable {
    case none, manyPorts, noChannels, channelsThatDiffer, greatestNumbers, negativeNumbers
  }

  private static let spec = SampleSpec(format: .s16le, rate: 44100, channels: 2)

  private static func snapshot(_ text: String, _ lie: Lie) -> ServerSnapshot {
    var ports = (0..<2).map { number in
      DevicePort(
        name: "\(text)\(number)", description: text, direction: .input,
        kind: .mic, profiles: [text])
    }
    if lie == .manyPorts {
      ports = (0..<300).map {
        DevicePort(name: "\($0)\(text)", description: text, direction: .input)
      }
    }
    if lie == .negativeNumbers {
      for at in ports.indices { ports[at].latencyOffset = .seconds(Int64.min / 2) }
    }
    func device(_ direction: Direction, _ index: UInt32, _ name: String) -> Device {
      var device = Device(
        direction: direction, index: Index(index), name: name, description: text, driver: text,
        sampleSpec: spec, channelMap: .stereo, card: Index(0), ports: ports,
        activePort: ports.first?.name,
        properties: [text: text, "device.bus": text, "device.form_factor": text])
      switch lie {
      case .noChannels:
        device.channelMap = ChannelMap([])
        device.volume = ChannelVolumes([])
        device.sampleSpec = SampleSpec(format: nil, rate: 0, channels: 0)
      case .channelsThatDiffer:
        device.channelMap = ChannelMap([.rearLeft])
        device.volume = ChannelVolumes(.maximum, channels: 255)
      case .greatestNumbers:
        device.index = Index(.max)
        device.sampleSpec = SampleSpec(format: nil, rate: .max, channels: .max)
        device.configuredLatency = .seconds(Int64.max)
      case .negativeNumbers: device.configuredLatency = .seconds(Int64.min)
      case .none, .manyPorts: break
      }
      return device
    }
    let (sink, source) = (device(.output, 0, text), device(.input, 1, text))
    let card = Card(
      index: Index(0), name: text, driver: text,
      profiles: [
        CardProfile(name: text, description: text, sinkCount: .max, sourceCount: -1, priority: .max)
      ],
      activeProfile: text, ports: ports, properties: [text: text])
    let stream = Stream(
      direction: .input, index: Index(2), name: text, client: Index(3), device: source.index,
      sampleSpec: spec, channelMap: .stereo, properties: ["media.role": text, text: text])
    return ServerSnapshot(
      server: ServerInfo(
        name: text, version: text, sampleSpec: spec, channelMap: .stereo, defaultSinkName: text,
        defaultSourceName: text, cookie: 0),
      cards: [card], sinks: [sink], sources: [source], sourceOutputs: [stream],
      modules: [Module(index: Index(4), name: text, argument: text)],
      clients: [Client(index: Index(3), name: text, properties: ["application.name": text])])
  }

  private static func decisions(_ text: String) -> [AudioMode] {
    var all = AudioMode(category: .playAndRecord)
    all.onFailure = .bestEffort
    all.sampleRate = 48000
    all.ioBufferDuration = .milliseconds(10)
    all.preferredInput = [.name(text), "*", .default]
    all.inputPort = [.name(text), "*"]
    all.channelMap = .swap
    all.inputGain = .norm
    all.outputVolume = .norm
    return [AudioMode(), AudioMode(category: .record), all]
  }

  @Test(
    "is planned or refused, and shown, and nothing acts on a terminal", arguments: texts,
    Lie.allCases)
  func views(_ text: String, _ lie: Lie) throws {
    // Thousands of ports with short names: each is laid out at each width.
    let snapshot = Self.snapshot(
      lie == .manyPorts ? String(String.UnicodeScalarView(text.unicodeScalars.prefix(20))) : text,
      lie)
    for mode in Self.decisions(text).suffix(1) {
      let input = PlanInput(mode: mode, snapshot: snapshot)
      let state = SessionState(
        input: input, mode: mode,
        server: .init(kind: .pulseaudio, name: text, version: text, address: text),
        profile: text, active: true)
      let list = DeviceList(snapshot, isWhole: true)
      let trees = RouteTree(snapshot: snapshot, properties: state.properties).all()
      for width in [nil, 60] as [Int?] {
        var lines = StateView.lines(state, snapshot, width: width)
        lines += StateView.lines(state, width: width) + DevicesView.lines(list, width: width)
        lines += trees.flatMap { $0.lines(width: width) }
        do throws(SessionError) {
          lines += PlanView.lines(try Plan.make(input), width: width, showsReasons: true)
        } catch {
          lines += ErrorView.lines(Failure(error), width: width)
        }
        expectHarmless(lines.rendered(colour: false))
      }
      expectHarmless(try JSONText.encode(state))
      expectHarmless(try JSONText.encode(list))
    }
  }

  private func expectHarmless(_ text: String) {
    let bad = text.unicodeScalars.first {
      $0 != "\n" && ($0.properties.generalCategory == .control || $0 == "\u{202e}")
    }
    #expect(bad == nil)
  }
}
