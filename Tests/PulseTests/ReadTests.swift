import PulseTypes
import Testing

@testable import Pulse

@Suite(.needsPulseAudio, .timeLimit(.minutes(2)))
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
    #expect(speaker.flags == [.latency, .dynamicLatency])
    #expect(speaker.card == nil)
    #expect(speaker.properties["device.class"] == "abstract")
    let sources = try await client.sources()
    #expect(sources.map(\.name) == ["speaker.monitor", "hall.monitor"])
    #expect(sources.map(\.monitor) == ["speaker", "hall"])
    #expect(sources.allSatisfy { $0.isMonitor && $0.flags.contains(.dynamicLatency) })
    #expect(try await client.snapshot().sinks == sinks)
  }
}
