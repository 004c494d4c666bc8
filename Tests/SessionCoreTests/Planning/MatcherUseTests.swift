import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// What a matcher means once a device has several ports, of which not all are plugged in.
@Suite struct MatcherUseTests {
  private static func twoInputs() -> Server {
    Server.machine {
      $0.addLaptop(jacks: ["analog-input-headset-mic": .no])
      $0.addUSB()
    }
  }

  private func used(_ server: Server, _ change: (inout AudioMode) -> Void) throws -> String? {
    var run = Run(server, PlanInput(mode: preferring(change), snapshot: server.snapshot))
    run.run()
    try #require(run.failure == nil, "\(run.trace)")
    return run.server.snapshot.server.defaultSourceName
  }

  @Test(arguments: [nil, [.name("*")]] as [[PortMatcher]?])
  func `a port of the type is plugged in, also where ports are named`(
    _ ports: [PortMatcher]?
  ) throws {
    let used = try used(Self.twoInputs()) {
      $0.preferredInput = [.portType(.headsetMic), .name(Server.usb)]
      $0.inputPort = ports
    }
    #expect(used == Server.usb)
  }

  @Test func `all the types are those of one port`() throws {
    var server = Self.twoInputs()
    let line = DevicePort(name: "analog-input-linein", direction: .input, kind: .line)
    let mic = DevicePort(name: "analog-input-mic", direction: .input, kind: .mic)
    try server.edit(.input, Server.usb) { ($0.ports, $0.activePort) = ([line, mic], line.name) }
    let plan = try server.plan(
      preferring { $0.preferredInput = [.all([.portType(.usbAudio), .portType(.mic)])] })
    #expect(
      plan.steps.contains {
        $0.setting == .port(.input, device: Server.usb) && $0.to == .name(mic.name)
      }, "\(plan.lines)")
  }

  @Test func `the default, if it has such a port`() throws {
    var server = Self.twoInputs()
    try server.setDefault(.input, Server.usb)
    let headset = DeviceMatcher.all([.default, .portType(.usbAudio)])
    #expect(
      try used(server) { $0.preferredInput = [headset, .name(Server.microphone)] }
        == Server.usb)
    try server.setDefault(.input, Server.microphone)
    #expect(
      try used(server) { $0.preferredInput = [headset, .name(Server.usb)] } == Server.usb)
  }

  @Test func `the monitor of a headset is no microphone for calls`() throws {
    let server = Server.machine {
      $0.addLaptop()
      $0.addBluetooth()
    }
    let monitor = Server.a2dp + ".monitor"
    #expect(try used(server) { $0.preferredInput = [.name(monitor)] } == monitor)
  }

  @Test func `a level alone leaves a headset in its call`() throws {
    let server = Server.machine(kind: .pipewire) { $0.addBluetooth("headset_head_unit") }
    var snapshot = server.snapshot
    // PipeWire's headset has the same output in both profiles.
    snapshot.cards[0].properties["device.api"] = "bluez5"
    let name = "bluez_output.AA.1"
    let sink = try #require(snapshot.sinks.firstIndex { $0.name == Server.handsFree })
    snapshot.sinks[sink].name = name
    snapshot.server.defaultSinkName = name
    func profiles(_ change: (inout AudioMode) -> Void) throws -> [Step] {
      try Plan.make(PlanInput(mode: preferring(change), snapshot: snapshot)).steps.filter {
        if case .cardProfile = $0.setting { true } else { false }
      }
    }
    #expect(try profiles { $0.outputVolume = Volume(fraction: 0.5) }.isEmpty)
    #expect(try profiles { $0.category = .playback }.count == 1)
  }

  @Test(arguments: ["headset_head_unit", "a2dp_sink"])
  func `a headset's profile is found by its type also where both have one name`(
    _ active: String
  ) throws {
    let server = Server.machine(kind: .pipewire) { $0.addBluetooth(active) }
    var snapshot = server.snapshot
    snapshot.cards[0].properties["device.api"] = "bluez5"
    let sink = try #require(snapshot.sinks.firstIndex { $0.name.hasPrefix("bluez_sink") })
    snapshot.sinks[sink].name = "bluez_output.AA.1"
    snapshot.sinks[sink].properties["api.bluez5.profile"] = active
    snapshot.server.defaultSinkName = "bluez_output.AA.1"
    func profile(_ type: PortType) throws -> [SettingValue] {
      let mode = preferring {
        $0.options = [.allowBluetoothHFP]
        $0.category = type == .bluetoothHFP ? .playAndRecord : .playback
        $0.preferredOutput = [.portType(type)]
      }
      return try Plan.make(PlanInput(mode: mode, snapshot: snapshot)).steps.compactMap {
        if case .cardProfile = $0.setting { $0.to } else { nil }
      }
    }
    let (call, music) = (SettingValue.name("headset_head_unit"), SettingValue.name("a2dp_sink"))
    #expect(try profile(.bluetoothHFP) == (active == "a2dp_sink" ? [call] : []))
    #expect(try profile(.bluetoothA2DP) == (active == "a2dp_sink" ? [] : [music]))
  }

  @Test func `a name that a headset does not have under this session manager is not waited for`()
    throws
  {
    let server = Server.machine(kind: .pipewire) { $0.addBluetooth("a2dp_sink") }
    var snapshot = server.snapshot
    snapshot.cards[0].properties["device.api"] = "bluez5"
    let sink = try #require(snapshot.sinks.firstIndex { $0.name.hasPrefix("bluez_sink") })
    snapshot.sinks[sink].name = "bluez_output.AA.1"
    var source = try #require(server.snapshot.sinks.first { $0.name.hasPrefix("bluez_sink") })
    source.direction = .input
    (source.name, source.monitor) = ("bluez_input.AA", nil)
    snapshot.sources.append(source)
    let mode = preferring {
      $0.category = .record
      $0.options = [.allowBluetoothHFP]
      $0.preferredInput = [.name("bluez_input.AA.0")]
    }
    let error = #expect(throws: SessionError.self) {
      try Plan.make(PlanInput(mode: mode, snapshot: snapshot))
    }
    #expect(error?.code == .inputNotAvailable, "\(error as Any)")
  }

  @Test func `an output that is combined has the mode's mute before it plays`() throws {
    let server = Server.machine {
      $0.addLoose(.output, "desk")
      $0.addLoose(.output, "monitors")
    }
    var snapshot = server.snapshot
    snapshot.server.defaultSinkName = "desk"
    let mode = preferring {
      $0.category = .multiRoute
      $0.preferredOutput = ["desk", "monitors"]
      $0.outputMuted = true
    }
    let plan = try Plan.make(PlanInput(mode: mode, snapshot: snapshot))
    let mute = plan.steps.firstIndex { $0.setting == .mute(.output, device: "monitors") }
    let combination = plan.steps.firstIndex { $0.setting == .combination }
    #expect(try #require(mute) < #require(combination), "\(plan.lines)")
  }

  @Test func `an output whose port of the type is empty is not combined`() throws {
    let server = Server.machine {
      $0.addLaptop(jacks: ["analog-output-headphones": .no])
      $0.addLoose(.output, "monitors")
      $0.addLoose(.output, "third")
    }
    let plan = try server.plan(
      preferring {
        $0.category = .multiRoute
        $0.preferredOutput = ["monitors", "third", .portType(.headphones)]
      })
    #expect(
      plan.lines.first == "6 audiosession.combined outputs: none → monitors and third",
      "\(plan.lines)")
  }

  @Test func `one pattern may mean several outputs`() {
    let report = Server.laptop().reports(
      preferring {
        $0.category = .multiRoute
        $0.preferredOutput = ["alsa_output.*"]
      })[.category]
    #expect(report?.verdict == .pending && report?.waitingFor == .device, "\(report as Any)")
  }
}
