import PulseTypes
import TestSupport
import Testing

@testable import Pulse

@Suite(.needsPulseAudio, .timeLimit(.minutes(10)))
struct StreamTests {
  /// A device's latency is the minimum over its streams, corked ones included.
  @Test func corkedRecordPinHoldsTheLatency() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    let pin = try await client.openStream(
      .pin(.input, on: "hall.monitor", latency: .milliseconds(10)))
    #expect(await pin.isCorked)
    #expect(await pin.grantedLatency == .milliseconds(10))
    #expect(await pin.deviceName == "hall.monitor")
    let wide = try await client.openStream(
      .pin(.input, on: "hall.monitor", latency: .milliseconds(200), corked: false))
    #expect(try await client.latency(.input, "hall.monitor") == .milliseconds(10))
    await pin.close()
    await pin.close()
    try await wait {
      try await client.latency(.input, "hall.monitor") == .milliseconds(200)
    }
    await expect(.closed, "cork record stream pin on hall.monitor") { try await pin.cork(true) }
    #expect(await wide.isOpen)
  }

  /// A child process that was forked has the connection, too, and the server does not see its end.
  @Test(arguments: [true, false])
  func endsInheritedStreams(isClosedBefore: Bool) async throws {
    let server = try await PrivateServer()
    let outside = try await server.connect()
    let client = try await server.connect()
    let pin = try await client.openStream(
      .pin(.input, on: "hall.monitor", latency: .milliseconds(10)))
    let connections = InheritedConnections(to: server.address)
    #expect(connections.count == 2)
    if isClosedBefore { await pin.close() }
    await client.endStreams()
    await client.close()
    #expect(try await outside.sourceOutputs().isEmpty)
    withExtendedLifetime(connections) {}
  }

  /// Has the last reference of a stream, and through it of its client, on their own thread.
  private actor Owner {
    private let loop: PulseLoop
    private var stream: PulseStream?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ loop: PulseLoop) { self.loop = loop }

    func open(_ server: PrivateServer) async throws {
      stream = try await server.connect(loop: loop).openStream(
        .pin(.input, on: "hall.monitor", latency: .milliseconds(10)))
    }

    /// libpulse sends nothing before this returns.
    func release() { stream = nil }
  }

  @Test func endsReleasedStreams() async throws {
    let server = try await PrivateServer()
    let outside = try await server.connect()
    let owner = Owner(PulseLoop())
    try await owner.open(server)
    let connections = InheritedConnections(to: server.address)
    #expect(connections.count == 2)
    await owner.release()
    try await wait { try await outside.sourceOutputs().isEmpty }
    withExtendedLifetime(connections) {}
  }

  /// libpulse aborts over some specs and maps that are none; each is refused before.
  @Test func impossibleSpecs() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    for (rate, channels) in [(44100, 0), (44100, 33), (44100, 255), (0, 2), (400_000, 2)] {
      let spec = SampleSpec(format: .s16le, rate: UInt32(rate), channels: UInt8(channels))
      let error = await #expect(throws: PulseError.self) {
        _ = try await client.openStream(
          StreamOptions(direction: .input, name: "none", spec: spec, latency: .milliseconds(10)))
      }
      #expect(error?.code == .invalidArgument)
      #expect(error?.serverMessage == "not a sample spec: s16le, \(rate) Hz, \(channels) channels")
    }
    for count in [0, 33] {
      let map = ChannelMap(Array(repeating: .mono, count: count))
      let spec = SampleSpec(format: .s16le, rate: 44100, channels: 2)
      let error = await #expect(throws: PulseError.self) {
        _ = try await client.openStream(
          StreamOptions(direction: .input, name: "none", spec: spec, channelMap: map))
      }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test(arguments: [10, 25, 100])
  func playbackPinHoldsTheLatency(_ milliseconds: Int) async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    let latency = Duration.milliseconds(milliseconds)
    let pin = try await client.openStream(.pin(.output, on: "hall", latency: latency))
    let actual = try #require(try await client.latency(.output, "hall"))
    #expect((latency...latency + .microseconds(23)).contains(actual), "within a frame")
    #expect(await pin.grantedLatency == actual)
    try await pin.setLatency(.milliseconds(50))
    #expect(try await client.latency(.output, "hall") == .milliseconds(50))
  }

  /// It counts the server's frames, and only while the stream runs.
  @Test(arguments: Direction.allCases)
  func position(_ direction: Direction) async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    let device = direction == .input ? "hall.monitor" : "hall"
    let stream = try await client.openStream(
      .pin(direction, on: device, latency: .milliseconds(20)))
    #expect(try await stream.position() == 0)
    try await stream.cork(false)
    let rate = Int64(try #require(await stream.sampleSpec).rate)
    let begin = ContinuousClock.now
    try await wait { try await stream.position() > rate / 5 }
    // Not bytes, of which a frame has four.
    #expect(ContinuousClock.now - begin > .milliseconds(100))
    try await stream.cork(true)
    let paused = try await stream.position()
    #expect(try await stream.position() == paused)
    await stream.close()
    await expect(.closed, "get_timing_info of ") { _ = try await stream.position() }
  }

  /// A corked stream sets the rate of an idle device.
  @Test func corkedPinSetsTheRate() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    let pin = try await client.openStream(.pin(.input, on: "hall.monitor", rate: 48000))
    #expect(try await client.source(named: "hall.monitor")?.sampleSpec.rate == 48000)
    #expect(try await client.sink(named: "speaker")?.sampleSpec.rate == 44100)
    await pin.close()
  }

  @Test func variableRate() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    let pin = try await client.openStream(
      .pin(.input, on: "hall.monitor", rate: 48000, flags: .variableRate))
    #expect(try await client.source(named: "hall.monitor")?.sampleSpec.rate == 44100)
    #expect(await pin.sampleSpec?.rate == 48000)
  }

  /// The asked bytes are of the asked spec; with the device's, they must be asked again.
  @Test func fixedSpecKeepsTheLatency() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    var options = StreamOptions.pin(
      .input, on: "hall.monitor", latency: .milliseconds(20),
      flags: [.fixRate, .fixFormat, .fixChannels])
    options.spec = SampleSpec(format: .float32le, rate: 16000, channels: 1)
    let pin = try await client.openStream(options)
    #expect(await pin.sampleSpec == SampleSpec(format: .s16le, rate: 44100, channels: 2))
    #expect(await pin.grantedLatency == .milliseconds(20))
    #expect(try await client.latency(.input, "hall.monitor") == .milliseconds(20))
  }

  @Test(arguments: Direction.allCases)
  func runningPinKeepsTheDeviceRunning(_ direction: Direction) async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    let name = direction == .input ? "hall.monitor" : "hall"
    let pin = try await client.openStream(
      .pin(direction, on: name, latency: .milliseconds(5), corked: false))
    let meter = try await client.openStream(
      .pin(.input, on: "hall.monitor", latency: .milliseconds(5), corked: false))
    try await wait {
      try await client.snapshot().device(direction, named: name)?.state == .running
    }
    #expect(await !pin.isCorked)
    try await pin.cork(true)
    #expect(await pin.isCorked)
    await meter.close()
    try await wait {
      try await client.snapshot().device(direction, named: name)?.state == .idle
    }
    try await pin.cork(false)
    #expect(await pin.isOpen)
  }

  @Test(arguments: Direction.allCases)
  func killedStreamSaysSo(_ direction: Direction) async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    let name = direction == .input ? "hall.monitor" : "hall"
    let pin = try await client.openStream(.pin(direction, on: name))
    let ends = Shared<[PulseError]>([])
    await pin.setEndHandler { error in ends.update { $0.append(error) } }
    try await client.killStream(direction, pin.index)
    try await wait { ends.value.count == 1 }
    #expect(ends.value.first?.code == .killed)
    #expect(await !pin.isOpen)
    await expect(.killed, "uncork") { try await pin.cork(false) }
    #expect(try await client.snapshot().streams(direction).isEmpty)
    await pin.setEndHandler { error in ends.update { $0.append(error) } }
    #expect(ends.value.count == 2)
  }

  @Test func openingFails() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    await expect(.noSuchEntity, "open record stream pin on nowhere") {
      try await client.openStream(.pin(.input, on: "nowhere"))
    }
    var options = StreamOptions.pin(.input, on: "hall.monitor")
    options.channelMap = .mono
    await expect(.invalidArgument, "open record stream pin on hall.monitor") {
      try await client.openStream(options)
    }
    options.channelMap = nil
    options.spec.format = nil
    await expect(.invalidArgument, "open record stream pin on hall.monitor") {
      try await client.openStream(options)
    }
    #expect(await client.pendingCount == 0)
    #expect(try await client.sourceOutputs().isEmpty)
  }

  @Test func channelMapAndPropertiesReachTheServer() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    var options = StreamOptions.pin(.input, on: "hall.monitor")
    options.channelMap = ChannelMap([.frontRight, .frontLeft])
    options.properties = ["node.force-rate": "44100"]
    let pin = try await client.openStream(options)
    let read = try #require(try await client.snapshot().stream(.input, at: pin.index))
    #expect(read.channelMap == options.channelMap)
    #expect(read.properties["node.force-rate"] == "44100")
  }
}

extension PulseClient {
  fileprivate func latency(_ direction: Direction, _ name: String) async throws -> Duration? {
    try await snapshot().device(direction, named: name)?.configuredLatency
  }
}
