import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

/// Record needs the headset profile, and only with allow-bluetooth-hfp; playback prefers A2DP.
@Suite struct BluetoothTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let profile: String
    let mode: AudioMode
    /// The card's profile after, or the start of the error's message.
    let result: String
    init(
      _ name: String, on profile: String, gives result: String,
      _ change: (inout AudioMode) -> Void
    ) {
      testDescription = "\(name) on \(profile)"
      self.profile = profile
      self.result = result
      mode = SessionCoreTests.preferring(change)
    }
  }

  static let rows = [
    Row("playback", on: "a2dp_sink", gives: "a2dp_sink") { $0.category = .playback },
    Row("playback prefers A2DP", on: "headset_head_unit", gives: "a2dp_sink") {
      $0.category = .playback
    },
    Row("playback", on: "off", gives: "a2dp_sink") {
      $0.category = .playback
      $0.preferredOutput = ["bluez_sink.*"]
    },
    Row("record without the option", on: "a2dp_sink", gives: "no usable input for 'bluez_source.*'")
    {
      $0.category = .record
      $0.preferredInput = ["bluez_source.*"]
    },
    Row("record", on: "a2dp_sink", gives: "headset_head_unit") {
      $0.category = .record
      $0.options = [.allowBluetoothHFP]
      $0.preferredInput = ["bluez_source.*"]
    },
    Row("a call", on: "a2dp_sink", gives: "headset_head_unit") {
      $0.category = .playAndRecord
      $0.options = [.allowBluetoothHFP]
      $0.preferredInput = [.portType(.bluetoothHFP)]
      $0.preferredOutput = [.portType(.bluetoothHFP), .portType(.bluetoothA2DP)]
    },
    Row("a call stays in hands-free", on: "headset_head_unit", gives: "headset_head_unit") {
      $0.category = .playAndRecord
      $0.options = [.allowBluetoothHFP]
      $0.preferredInput = ["bluez_source.*"]
    },
    Row("a call by any of its outputs", on: "a2dp_sink", gives: "headset_head_unit") {
      $0.category = .playAndRecord
      $0.options = [.allowBluetoothHFP]
      $0.preferredInput = ["bluez_source.*"]
      $0.preferredOutput = ["bluez_sink.*"]
    },
    Row("a microphone elsewhere", on: "a2dp_sink", gives: "a2dp_sink") {
      $0.category = .playAndRecord
      $0.preferredInput = ["alsa_input.*"]
      $0.preferredOutput = ["bluez_sink.*"]
    },
    Row("a microphone elsewhere", on: "headset_head_unit", gives: "a2dp_sink") {
      $0.category = .playAndRecord
      $0.options = [.allowBluetoothHFP]
      $0.preferredInput = ["alsa_input.*"]
      $0.preferredOutput = ["bluez_sink.*"]
    },
    Row("another mode leaves the profile", on: "headset_head_unit", gives: "headset_head_unit") {
      $0.inputMuted = true
      $0.preferredInput = ["alsa_input.*"]
    },
  ]

  @Test(arguments: rows) func `profiles of a headset`(_ row: Row) throws {
    let server = Server.machine {
      $0.addLaptop("input:analog-stereo")
      $0.addBluetooth(row.profile)
    }
    if let failure = server.failure(row.mode) {
      #expect(failure.message.hasPrefix(row.result))
      return
    }
    var run = Run(server, PlanInput(mode: row.mode, snapshot: server.snapshot))
    run.run()
    #expect(run.failure == nil, "\(run.trace)")
    #expect(run.server.snapshot.card(named: "bluez_card.AA")?.activeProfile == row.result)
  }

  @Test func `the error names the option, and the other inputs`() throws {
    let server = Server.machine {
      $0.addLaptop()
      $0.addBluetooth("headset_head_unit")
    }
    let failure = try #require(
      server.failure(preferring { $0.preferredInput = ["bluez_source.*"] }))
    #expect(failure.code == .inputNotAvailable)
    #expect(
      failure.alternatives == [
        "\(Server.headset): a Bluetooth microphone needs options = [\"allow-bluetooth-hfp\"]",
        "\(Server.microphone): connected, but not asked for",
      ])
  }

  @Test func `a headset without the option is passed over for the next candidate`() throws {
    let server = Server.machine {
      $0.addLaptop()
      $0.addBluetooth("headset_head_unit")
    }
    try #require(server.snapshot.server.defaultSourceName == Server.headset)
    let plan = try server.plan(
      preferring { $0.preferredInput = [.portType(.headsetMic), "bluez_source.*", "alsa_input.*"] })
    #expect(plan.lines == ["4 server default source: \(Server.headset) → \(Server.microphone)"])
  }

  @Test(
    arguments: [
      (.default, false), (.name("bluez_source.AA.*"), true), (.name("bluez_input.AA"), true),
      (.name("alsa_input.*"), false), (.properties(["device.bus": "blue*"]), true),
      (.properties(["device.bus": "usb"]), false), (.properties(["device.serial": "1"]), false),
      (.formFactor("headset"), true), (.formFactor("webcam"), false),
      (.portType(.bluetoothHFP), true), (.portType(.headsetMic), true), (.portType(.hdmi), false),
      (.all([.portType(.headsetMic), "bluez_*"]), true), (.all(["bluez_*", "alsa_*"]), false),
    ] as [(DeviceMatcher, Bool)])
  func `a headset without a microphone yet may be what the mode names`(
    _ matcher: DeviceMatcher, _ couldBe: Bool
  ) throws {
    var server = Server.machine {
      $0.addLaptop()
      $0.addBluetooth()
    }
    let at = try #require(server.snapshot.cards.firstIndex { $0.name == "bluez_card.AA" })
    server.snapshot.cards[at].properties["device.form_factor"] = "headset"
    server.snapshot.cards[at].profiles.removeAll { $0.sourceCount > 0 }
    #expect(server.snapshot.cards[at].couldBe(matcher) == couldBe)
    let mode = preferring {
      $0.options = [.allowBluetoothHFP]
      $0.preferredInput = [matcher]
      $0.onFailure = .bestEffort
    }
    let report = server.reports(mode)[.preferredInput]
    if report?.verdict == .pending {
      #expect(report?.waitingFor == (couldBe ? .profile : .device))
    }
    server.snapshot.cards[at].name = "other"
    #expect(!server.snapshot.cards[at].couldBe(matcher))
  }

  @Test(arguments: ["headset_head_unit", "off"])
  func `a codec waits for the profile that has it`(_ profile: String) throws {
    var server = Server.machine { $0.addBluetooth(profile) }
    server.snapshot.cards[0].codecs = profile == "off" ? nil : [Codec(name: "cvsd")]
    let mode = preferring {
      $0.category = .playback
      $0.preferredOutput = ["bluez_sink.*"]
      $0.outputCodec = "aptx"
    }
    let report = server.reports(mode)[.outputCodec]
    #expect(report?.verdict == .pending && report?.waitingFor == .profile)
    #expect(report?.reason == "bluez_card.AA is on profile '\(profile)', not 'a2dp_sink'")
  }

  @Test func `codecs: not reported, another one, and none of the name`() throws {
    var server = Server.machine { $0.addBluetooth() }
    let mode = preferring { $0.outputCodec = "apt-X" }
    func report() -> PropertyReport? { server.reports(mode)[.outputCodec] }
    func causes() -> [String] {
      var facts = MachineFacts()
      facts.snapshot = server.snapshot
      return Explanation(.outputCodec, .unset(nil), facts).causes
    }
    let silence = "the server does not report the codecs of bluez_card.AA"
    #expect(report()?.reason == silence && causes() == [silence])
    #expect(
      try server.plan(
        preferring {
          $0.outputCodec = "x"; $0.onFailure = .bestEffort
        }
      ).isEmpty)
    server.snapshot.cards[0].codecs = [
      Codec(name: "sbc", description: "SBC"), Codec(name: "ldac"),
    ]
    server.snapshot.cards[0].activeCodec = "sbc"
    let failure = server.failure(mode)
    #expect(failure?.code == .codecNotSupported && failure?.alternatives == ["sbc (SBC)", "ldac"])
    #expect(causes() == ["bluez_card.AA offers on profile a2dp_sink: sbc, ldac"])
    server.snapshot.cards[0].codecs?.append(Codec(name: "aptx", description: "aptX"))
    #expect(try server.plan(mode).lines == ["1 bluez_card.AA codec: sbc → aptx"])
    server.snapshot.cards[0].activeProfile = nil
    #expect(causes() == ["bluez_card.AA offers on profile none: sbc, ldac, aptx"])
  }
}
