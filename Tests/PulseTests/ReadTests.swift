import PulseTypes
import Testing

@testable import Pulse

@Suite(.needsPulseAudio, .timeLimit(.minutes(10)))
struct ReadTests {
  @Test func listsDevices() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    let sinks = try await client.sinks()
    #expect(sinks.map(\.name) == ["speaker", "hall"])
    let speaker = try #require(sinks.first)
    #expect(speaker.direction == .output)
    #expect(speaker.monitor == "speaker.monitor")
    #expect(speaker.driver == "module-null-sink.c")
    #expect(speaker.sampleSpec == SampleSpec(format: .s16le, rate: 44100, channels: 2))
    #expect(speaker.channelMap == .stereo)
    #expect(speaker.volume == ChannelVolumes(.norm, channels: 2))
    #expect(speaker.flags == .dynamicLatency(.output))
    #expect(speaker.card == nil)
    #expect(speaker.properties["device.class"] == "abstract")
    let sources = try await client.sources()
    #expect(sources.map(\.name) == ["speaker.monitor", "hall.monitor"])
    #expect(sources.map(\.monitor) == ["speaker", "hall"])
    #expect(sources.allSatisfy { $0.isMonitor })
  }

  @Test func readsSingleObjects() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    let record = try await client.openStream(.pin(.input, on: "hall.monitor"))
    let playback = try await client.openStream(.pin(.output, on: "hall"))
    let all = try await client.snapshot()
    #expect(try await client.sink(named: "hall") == all.sinks.last)
    #expect(try await client.source(named: "hall.monitor") == all.sources.last)
    let output = try #require(all.sourceOutputs.first)
    #expect(output.index == record.index)
    #expect(output.isCorked && output.direction == .input && output.name == "pin")
    #expect(output.client == all.clients.first?.index)
    #expect(all.device(.input, at: output.device)?.name == "hall.monitor")
    let input = try #require(try await client.sinkInput(at: playback.index))
    #expect(all.sinkInputs == [input])
    #expect(input.volume == ChannelVolumes(.norm, channels: 2))
    #expect(all.modules.first?.name == "module-null-sink")
    #expect(all.modules.first?.argument == "sink_name=speaker rate=44100")
  }

  @Test func nothingThereIsNil() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    #expect(try await client.card(named: "x") == nil)
    #expect(try await client.source(named: "x") == nil)
    #expect(try await client.sink(named: "x") == nil)
    #expect(try await client.sinkInput(at: Index(99)) == nil)
  }

  @Test func serverInfo() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    let info = try await client.serverInfo()
    #expect(info.kind == .pulseaudio)
    #expect(info.defaultSinkName == "speaker")
    #expect(info.defaultSourceName == "speaker.monitor")
    #expect(info.channelMap.count == Int(info.sampleSpec.channels))
  }

  /// Without a device PulseAudio's default names are NULL.
  @Test func noDevice() async throws {
    let server = try await PrivateServer([])
    let client = try await server.connect()
    let all = try await client.snapshot()
    #expect(all.server.defaultSinkName == nil && all.server.defaultSourceName == nil)
    #expect(all.sinks.isEmpty && all.sources.isEmpty)
  }

  @Test func hostileNames() async throws {
    let server = try await PrivateServer()
    let name = "a\"b'c\nd\\e=ü " + String(repeating: "x", count: 10_000)
    let client = try await PulseClient.connect(
      to: server.address, name: name, properties: ["test.hostile": name])
    var options = StreamOptions.pin(.input, on: "hall.monitor")
    options.name = name
    options.properties = ["test.hostile": name]
    let stream = try await client.openStream(options)
    let snapshot = try await client.snapshot()
    let read = try #require(snapshot.stream(.input, at: stream.index))
    #expect(read.name == name)
    #expect(read.properties["test.hostile"] == name)
    let index = try #require(await client.index)
    let me = try #require(snapshot.clients.first { $0.index == index })
    #expect(me.name == name && me.properties["test.hostile"] == name)
    // Not even a possible name of a device.
    await expect(.invalidArgument, "set_default_sink a\"b'c\nd") {
      try await client.setDefaultSink(String(name.prefix(100)))
    }
  }

  @Test func repairsText() {
    let bytes: [CChar] = [0x61, CChar(bitPattern: 0xff), 0x62, 0]
    #expect(bytes.withUnsafeBufferPointer { text($0.baseAddress) } == "a\u{fffd}b")
    #expect(text(nil) == nil)
  }

  @Test func channelsAndFormats() async throws {
    let server = try await PrivateServer([
      "module-null-sink sink_name=a format=float32le channels=4"
        + " channel_map=front-left,lfe,aux31,top-rear-center",
      "module-null-sink sink_name=b format=s24-32be channels=1 channel_map=mono",
    ])
    let sinks = try await server.connect().sinks()
    #expect(sinks.map(\.sampleSpec.format) == [.float32le, .s24in32be])
    #expect(
      sinks.map(\.channelMap) == [
        ChannelMap([.frontLeft, .lfe, .aux31, .topRearCenter]), .mono,
      ])
  }
}

extension StreamOptions {
  /// A corked pin.
  static func pin(
    _ direction: Direction, on device: String, rate: UInt32 = 44100, latency: Duration? = nil,
    corked: Bool = true, flags: StreamFlags = []
  ) -> StreamOptions {
    StreamOptions(
      direction: direction, name: "pin", device: device,
      spec: SampleSpec(format: .s16le, rate: rate, channels: 2), latency: latency,
      startCorked: corked, flags: flags)
  }
}
