import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// Channel map, polar pattern and orientation on hardware of one, two, four and odd channels.
@Suite struct ChannelTests {
  @Test func `channels of a device that does not exist yet are judged once it is there`() throws {
    let name = "alsa_input.head.multichannel-input"
    let profiles = ["input:analog-stereo", "input:multichannel-input"]
    let machine = Server.machine { server in
      server.addCard(
        Card(
          index: Index(5), name: "alsa_card.head", driver: "module-alsa-card.c",
          profiles: profiles.map {
            CardProfile(name: $0, sinkCount: 0, sourceCount: 1, priority: 1)
          },
          activeProfile: profiles[0], ports: [], properties: ["device.bus": "usb"]),
        makes: [
          profiles[0]: [.init(direction: .input, name: "alsa_input.head.analog-stereo")],
          profiles[1]: [
            .init(
              direction: .input, name: name, map: ChannelMap([.aux0, .aux1, .aux2, .aux3]))
          ],
        ])
    }
    func run(_ channels: [ChannelPosition]) -> Run {
      let mode = SessionCoreTests.preferring {
        $0.category = .record
        $0.preferredInput = [.name(name)]
        $0.channelMap = .positions(channels)
      }
      var run = Run(machine, PlanInput(mode: mode, snapshot: machine.snapshot))
      run.run()
      return run
    }
    let good = run([.aux2, .aux3])
    #expect(good.failure == nil && good.refusal == nil, "\(good.trace)")
    #expect(good.plans.first?.unmetLines.first?.contains("pending") == true, "\(good.trace)")
    #expect(good.server.snapshot.chain.remap(.input)?.masterMap == ChannelMap([.aux2, .aux3]))
    #expect(run([.aux4]).refusal?.message.contains("has no channel 'aux4'") == true)
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let hardware: ChannelMap
    let mode: AudioMode
    /// What the remap takes and presents; nil where none is built; or the error.
    let result: Result
    enum Result: Sendable, Equatable {
      case none
      case remap(String, as: String)
      case error(SessionError.Code, String)
    }
    init(
      _ name: String, on hardware: ChannelMap, _ result: Result,
      _ change: (inout AudioMode) -> Void
    ) {
      testDescription = "\(name) on \(hardware)"
      self.hardware = hardware
      self.result = result
      mode = SessionCoreTests.preferring {
        $0.preferredInput = ["array"]
        change(&$0)
      }
    }
  }

  private static let swapped = Row.Result.remap(
    "front-right,front-left", as: "front-left,front-right")
  private static let quadAs = "front-left,front-right,rear-left,rear-right"
  private static let twoAux = ChannelMap([.aux0, .aux1])
  private static let fourAux = ChannelMap([.aux0, .aux1, .aux2, .aux3])

  static let maps = [
    Row("as it is", on: .stereo, .none) { $0.channelMap = .positions([.frontLeft, .frontRight]) },
    Row("swap", on: .stereo, swapped) { $0.channelMap = .swap },
    Row("swap by positions", on: .stereo, swapped) {
      $0.channelMap = .positions([.frontRight, .frontLeft])
    },
    Row("left", on: .stereo, .remap("front-left", as: "mono")) { $0.channelMap = .left },
    Row("right", on: .stereo, .remap("front-right", as: "mono")) { $0.channelMap = .right },
    Row("mono", on: .stereo, .remap("mono", as: "mono")) { $0.channelMap = .mono },
    Row("mono", on: .mono, .none) { $0.channelMap = .mono },
    // One channel, whatever it is called, is its own mix.
    Row("mono", on: ChannelMap([.frontLeft]), .none) { $0.channelMap = .mono },
    Row("two that are no stereo, as they are", on: ChannelMap([.frontLeft, .rearLeft]), .none) {
      $0.channelMap = .positions([.frontLeft, .rearLeft])
    },
    Row("mono by position", on: .stereo, .remap("mono", as: "mono")) {
      $0.channelMap = .positions([.mono])
    },
    Row("the rear ones", on: .quad, .remap("rear-left,rear-right", as: "front-left,front-right")) {
      $0.channelMap = .positions([.rearLeft, .rearRight])
    },
    Row("two of four", on: fourAux, .remap("aux2,aux3", as: "front-left,front-right")) {
      $0.channelMap = .positions([.aux2, .aux3])
    },
    Row(
      "one channel twice", on: .stereo,
      .remap("front-left,front-left", as: "front-left,front-right")
    ) {
      $0.channelMap = .positions([.frontLeft, .frontLeft])
    },
    Row(
      "swap", on: .mono,
      .error(.invalidValue, "array has no channel 'front-right' and 'front-left': it is mono")
    ) { $0.channelMap = .swap },
    Row("unknown", on: .stereo, .error(.invalidValue, "array has no channel 'rear-left'")) {
      $0.channelMap = .positions([.frontLeft, .rearLeft])
    },
    // The order in which a device lists its channels is not what is heard.
    Row("as it is", on: ChannelMap([.frontRight, .frontLeft]), .none) {
      $0.channelMap = .positions([.frontLeft, .frontRight])
    },
    Row("swap", on: ChannelMap([.frontRight, .frontLeft]), swapped) { $0.channelMap = .swap },
  ]

  static let patterns = [
    Row("stereo", on: .stereo, .none) { $0.polarPattern = .stereo },
    Row("stereo", on: .quad, .remap("front-left,front-right", as: "front-left,front-right")) {
      $0.polarPattern = .stereo
    },
    Row("stereo of two", on: twoAux, .remap("aux0,aux1", as: "front-left,front-right")) {
      $0.polarPattern = .stereo
    },
    Row("stereo", on: fourAux, .remap("aux0,aux1", as: "front-left,front-right")) {
      $0.polarPattern = .stereo
    },
    Row(
      "stereo", on: .mono,
      .error(
        .polarPatternNotSupported,
        "\"stereo\" needs two distinct channels and array has one (mono); "
          + "true stereo, never one channel twice")
    ) { $0.polarPattern = .stereo },
    Row("omnidirectional", on: .stereo, .remap("mono", as: "mono")) {
      $0.polarPattern = .omnidirectional
    },
    Row("omnidirectional", on: .mono, .none) { $0.polarPattern = .omnidirectional },
    Row("cardioid", on: .stereo, .remap("front-left", as: "mono")) { $0.polarPattern = .cardioid },
    Row("cardioid", on: .mono, .none) { $0.polarPattern = .cardioid },
    Row("cardioid of one", on: ChannelMap([.aux0]), .none) { $0.polarPattern = .cardioid },
    Row("cardioid", on: fourAux, .remap("aux0", as: "mono")) { $0.polarPattern = .cardioid },
    Row(
      "subcardioid", on: .stereo,
      .error(
        .polarPatternNotSupported,
        "\"subcardioid\" cannot be made from the channels of a device")
    ) { $0.polarPattern = .subcardioid },
  ]

  private static func tooFew(_ orientation: String, _ gives: String) -> Row.Result {
    .error(
      .orientationNotSupported,
      "orientation \"\(orientation)\" needs four channels (quad) to turn, and array gives \(gives)")
  }

  static let orientations = [
    Row("none", on: .stereo, .none) { $0.inputOrientation = Orientation.none },
    Row("landscape-left", on: .stereo, .none) { $0.inputOrientation = .landscapeLeft },
    Row("landscape-right", on: .stereo, swapped) { $0.inputOrientation = .landscapeRight },
    Row("landscape-right", on: .mono, .none) { $0.inputOrientation = .landscapeRight },
    Row("portrait", on: .mono, tooFew("portrait", "1")) { $0.inputOrientation = .portrait },
    Row("portrait", on: .stereo, tooFew("portrait", "2")) { $0.inputOrientation = .portrait },
    Row("portrait-upside-down", on: .stereo, tooFew("portrait-upside-down", "2")) {
      $0.inputOrientation = .portraitUpsideDown
    },
    // A quarter turn takes front-left to front-right, that to rear-right, that to rear-left.
    Row("portrait", on: .quad, .remap("rear-left,front-left,rear-right,front-right", as: quadAs)) {
      $0.inputOrientation = .portrait
    },
    Row(
      "landscape-right", on: .quad,
      .remap("rear-right,rear-left,front-right,front-left", as: quadAs)
    ) { $0.inputOrientation = .landscapeRight },
    Row(
      "portrait-upside-down", on: .quad,
      .remap("front-right,rear-right,front-left,rear-left", as: quadAs)
    ) { $0.inputOrientation = .portraitUpsideDown },
    Row(
      "portrait", on: ChannelMap([.frontLeft, .rearLeft, .frontRight, .rearRight]),
      .remap("rear-left,front-left,rear-right,front-right", as: quadAs)
    ) { $0.inputOrientation = .portrait },
    Row("portrait", on: fourAux, tooFew("portrait", "aux0,aux1,aux2,aux3")) {
      $0.inputOrientation = .portrait
    },
    Row("landscape-right", on: ChannelMap([.frontRight, .frontLeft]), swapped) {
      $0.inputOrientation = .landscapeRight
    },
    // After the channel map or the polar pattern.
    Row("a half turn of swap", on: .stereo, .none) {
      $0.inputOrientation = .landscapeRight
      $0.channelMap = .swap
    },
    Row("a half turn of mono", on: .stereo, .remap("mono", as: "mono")) {
      $0.inputOrientation = .landscapeRight
      $0.polarPattern = .omnidirectional
    },
    Row("a quarter of a stereo pattern", on: .quad, tooFew("portrait", "2")) {
      $0.inputOrientation = .portrait
      $0.polarPattern = .stereo
    },
    Row("four that a map put in order", on: fourAux, .remap("aux2,aux0,aux3,aux1", as: quadAs)) {
      $0.inputOrientation = .portrait
      $0.channelMap = .positions([.aux0, .aux1, .aux2, .aux3])
    },
  ]

  @Test(arguments: maps + patterns + orientations)
  func `the remap that a mode needs`(_ row: Row) throws {
    let server = Server.machine { $0.addLoose(.input, "array", row.hardware) }
    if case .error(let code, let message) = row.result {
      let failure = try #require(server.failure(row.mode))
      #expect(failure.code == code)
      #expect(failure.message == message)
      return
    }
    let remap = try server.plan(row.mode).steps.first { $0.setting == .chain(.input) }?.to
    switch row.result {
    case .remap(let master, let map):
      guard case .remap(let spec) = remap else {
        Issue.record("no remap")
        return
      }
      #expect(spec.masterMap.description == master)
      #expect(spec.map.description == map)
    default: #expect(remap == nil)
    }
  }

  @Test func `all turns together are no turn`() throws {
    let device = Device(
      direction: .input, index: Index(1), name: "array",
      sampleSpec: SampleSpec(format: .s16le, rate: 48000, channels: 4), channelMap: .quad)
    var map = ChannelMap.quad
    for _ in 0..<4 {
      let turned = preferring {
        $0.channelMap = .positions(map.positions)
        $0.inputOrientation = .portrait
      }.preferences(.input)
      map = try #require(try ChannelRouting.make(turned, on: device)).masterMap
    }
    #expect(map == .quad)
  }

  @Test func `a mix of all channels is remixed, a choice of channels is not`() {
    let mix = RemapSpec(direction: .input, master: "m", masterMap: .mono, map: .mono)
    let choice = RemapSpec(
      direction: .output, master: "m", masterMap: ChannelMap([.frontLeft]), map: .mono)
    #expect(
      mix.moduleArgument
        == "source_name=audiosession.input source_properties=\"audiosession.role='remap' "
        + "device.description='Audio session input'\" master=m channels=1 "
        + "master_channel_map=mono channel_map=mono remix=yes")
    #expect(choice.moduleArgument.hasSuffix("channel_map=mono remix=no"))
    #expect(choice.moduleArgument.hasPrefix("sink_name=audiosession.output sink_properties="))
    #expect(RemapSpec.moduleName(.input) == "module-remap-source")
    #expect(RemapSpec.moduleName(.output) == "module-remap-sink")
  }

  @Test func `the actual map is read from the remap's stream`() throws {
    var server = Server.laptop()
    server.addRemap(of: Server.microphone, taking: ChannelMap([.frontRight, .frontLeft]))
    let reports = server.reports(preferring { $0.channelMap = .swap })
    #expect(reports[.channelMap]?.verdict == .applied)
    #expect(reports[.channelMap]?.actual == .strings(["front-right", "front-left"]))
  }

  // MARK: Where modules may not be loaded

  @Test func `the map is refused and the rest is done`() throws {
    let server = Server.laptop()
    let mode = preferring {
      $0.channelMap = .swap
      $0.inputOrientation = Orientation.none
      $0.preferredInput = ["default"]
      $0.inputMuted = true
    }
    let plan = try server.plan(mode) { $0.capabilities.moduleLoading = false }
    #expect(plan.steps.map(\.property) == [.inputMuted])
    #expect(
      plan.unmetLines.contains("channelMap refused: the server does not let modules be loaded"))
    let identity = preferring { $0.channelMap = .positions([.frontLeft, .frontRight]) }
    #expect(try server.plan(identity) { $0.capabilities.moduleLoading = false }.unmet == [])
  }

  @Test func `the mix of one channel needs none`() throws {
    var server = Server.laptop()
    let input = try #require(server.snapshot.defaultDevice(.input)?.name)
    try server.edit(.input, input) { $0.channelMap = ChannelMap([.frontLeft]) }
    let mode = preferring { $0.channelMap = .mono }
    #expect(try server.plan(mode) { $0.capabilities.moduleLoading = false }.unmet == [])
  }

  @Test func `a run that is denied goes on without the remap`() throws {
    var server = Server.laptop()
    server.deniesModules = true
    let mode = preferring {
      $0.channelMap = .swap
      $0.inputMuted = true
    }
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.run()
    #expect(run.failure == nil)
    #expect(run.server.snapshot.server.defaultSourceName == Server.microphone)
    #expect(run.server.snapshot.device(.input, named: Server.microphone)?.isMuted == true)
    #expect(run.plans.last?.unmet.map(\.property) == [.channelMap])
  }
}
