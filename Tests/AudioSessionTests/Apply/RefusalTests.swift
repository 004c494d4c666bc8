import AudioSession
import Pulse
import PulseSandbox
import TestSupport
import Testing

@Suite("What cannot be done is said before anything is written", .timeLimit(.minutes(10)))
struct RefusalTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var code: SessionError.Code
    var stage: SessionError.Stage
    var says: String
    var change: @Sendable (inout AudioMode) -> Void
    var testDescription: String { name }

    init(
      _ name: String, _ code: SessionError.Code, _ stage: SessionError.Stage, says: String,
      _ change: @escaping @Sendable (inout AudioMode) -> Void
    ) {
      self.name = name
      self.code = code
      self.stage = stage
      self.says = says
      self.change = change
    }
  }

  static let cases: [Case] = [
    Case("rate 0", .invalidValue, .configuration, says: "0 Hz") { $0.sampleRate = 0 },
    Case("rate -1", .invalidValue, .configuration, says: "-1 Hz") { $0.sampleRate = -1 },
    Case("rate 10⁹", .invalidValue, .configuration, says: "1000000000 Hz") {
      $0.sampleRate = 1_000_000_000
    },
    Case("buffer 0", .invalidValue, .configuration, says: "0.5 ms to 2 s") {
      $0.ioBufferDuration = .milliseconds(0)
    },
    Case("buffer of an hour", .invalidValue, .configuration, says: "0.5 ms to 2 s") {
      $0.ioBufferDuration = .duration(.seconds(3600))
    },
    Case("pattern without port", .missingDataSourceName, .configuration, says: "input.port") {
      $0.polarPattern = .stereo
    },
    Case("pattern with map", .invalidValue, .configuration, says: "keep one") {
      $0.polarPattern = .stereo
      $0.inputPort = ["*"]
      $0.channelMap = .swap
    },
    Case("33 channels", .invalidValue, .configuration, says: "33 channels") {
      $0.channelMap = .positions(Array(repeating: .frontLeft, count: 33))
    },
    Case("control character", .invalidValue, .configuration, says: "control character") {
      $0.preferredInput = ["mic\u{1B}[2J"]
    },
    Case("10,000 bytes", .invalidValue, .configuration, says: "10000 bytes") {
      $0.preferredInput = [.name(String(repeating: "a", count: 10_000))]
    },
    Case("glob that matches nothing", .inputNotAvailable, .device, says: "nothing-*") {
      $0.preferredInput = ["nothing-*"]
    },
    Case("port that does not exist", .portNotAvailable, .device, says: "no usable") {
      $0.inputPort = ["analog-input-mic2"]
    },
    Case("port that is unplugged", .portNotAvailable, .device, says: "no usable") {
      $0.inputPort = ["analog-input-headset-mic"]
    },
    Case("quarter turn of stereo", .orientationNotSupported, .device, says: "four channels") {
      $0.inputOrientation = .portrait
    },
    Case("channel that is not there", .invalidValue, .device, says: "rear-left") {
      $0.channelMap = .positions([.rearLeft, .rearRight])
    },
  ]

  @Test("bad input", .simulatedCard, arguments: cases)
  func bad(_ example: Case) async throws {
    try await Rig.with(.quiet) { rig in
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(Names.laptopInput)]
      example.change(&mode)
      try await rig.outside.subscribe()
      let events = await rig.outside.events(bufferingNewest: 4096)
      let error = await #expect(throws: SessionError.self) {
        try await rig.session.setAudioMode(mode)
      }
      #expect(error?.code == example.code)
      #expect(error?.stage == example.stage)
      #expect(error?.message.contains(example.says) == true, "\(error?.message ?? "")")
      #expect(error?.restored == nil)
      await rig.session.close()
      _ = try await rig.outside.snapshot()
      await rig.outside.close()
      for await event in events { #expect(event.facility == .client, "\(event)") }
    }
  }

  @Test(
    "the ports that there are stand in the error", .bothServers,
    arguments: Feature.cards.machines)
  func alternatives(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(Names.laptopInput)]
      mode.inputPort = ["analog-input-headset-mic"]
      let error = await #expect(throws: SessionError.self) {
        try await rig.session.setAudioMode(mode)
      }
      let text = error?.description ?? ""
      #expect(text.contains("analog-input-internal-mic (available)"), "\(text)")
      #expect(text.contains("analog-input-headset-mic (not plugged in)"), "\(text)")
    }
  }

  @Test(
    "where the only source is a monitor it must be named", .bothServers,
    arguments: Feature.store.servers)
  func monitor(on kind: ServerKind) async throws {
    try await Rig.with(.monitorOnly(on: kind)) { rig in
      var mode = AudioMode(category: .record)
      let error = await #expect(throws: SessionError.self) {
        try await rig.session.setAudioMode(mode)
      }
      #expect(error?.message == "the only source is a monitor; name it to use it")
      #expect(error?.stage == .device)
      mode.preferredInput = ["speakers.monitor"]
      let report = try await rig.session.setAudioMode(mode)
      #expect(report.state.properties[.preferredInput]?.verdict == .applied)
    }
  }

  @Test("no server, and a session that was closed")
  func noServer() async throws {
    let session = AudioSession(server: "unix:/nonexistent/pulse.sock")
    let error = await #expect(throws: SessionError.self) {
      try await session.setAudioMode(AudioMode(category: .record))
    }
    #expect(error?.code == .serverUnreachable)
    await session.close()
    let closed = await #expect(throws: SessionError.self) { try await session.getSessionState() }
    #expect(closed?.code == .activationFailed)
  }

  @Test("a wrong cookie is access denied", .server)
  func wrongCookie() async throws {
    var configuration = SandboxConfiguration.minimal
    configuration.cookieRequired = true
    try await PulseSandbox.with(configuration) { sandbox in
      let session = AudioSession(server: sandbox.address)
      let error = await #expect(throws: SessionError.self) { try await session.getSessionState() }
      #expect(error?.code == .accessDenied)
      await session.close()
    }
  }
}
