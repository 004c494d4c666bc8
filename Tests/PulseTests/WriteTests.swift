import PulseTypes
import Testing

@testable import Pulse

@Suite(.needsPulseAudio, .timeLimit(.minutes(10)))
struct WriteTests {
  @Test func defaults() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    try await client.setDefaultSink("hall")
    try await client.setDefaultSource("hall.monitor")
    let info = try await client.serverInfo()
    #expect(info.defaultSinkName == "hall" && info.defaultSourceName == "hall.monitor")
  }

  @Test(arguments: Direction.allCases)
  func deviceVolumeAndMute(_ direction: Direction) async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    let name = direction == .input ? "hall.monitor" : "hall"
    let volume = ChannelVolumes([Volume(rawValue: 12345), Volume(rawValue: 54321)])
    try await client.setVolume(direction, device: name, volume)
    try await client.setMute(direction, device: name, true)
    let device = try #require(try await client.snapshot().device(direction, named: name))
    #expect(device.volume == volume && device.isMuted)
    try await client.setVolume(direction, device: name, ChannelVolumes(.norm, channels: 1))
    try await client.setMute(direction, device: name, false)
    let after = try #require(try await client.snapshot().device(direction, named: name))
    let balanced = ChannelVolumes([Volume(rawValue: 14893), .norm])
    #expect(after.volume == balanced && !after.isMuted)
    for bad in [0, 3, 33] {
      await expect(.invalidArgument, "set_\(direction.deviceWord)_volume \(name)") {
        try await client.setVolume(direction, device: name, ChannelVolumes(.norm, channels: bad))
      }
    }
  }

  @Test(arguments: Direction.allCases)
  func streamVolumeAndMuteAndMove(_ direction: Direction) async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    let suffix = direction == .input ? ".monitor" : ""
    let stream = try await client.openStream(.pin(direction, on: "speaker" + suffix))
    let volume = ChannelVolumes([Volume(rawValue: 1234), Volume(rawValue: 4321)])
    try await client.setStreamVolume(direction, stream.index, volume)
    try await client.setStreamMute(direction, stream.index, true)
    let before = try #require(try await client.snapshot().streams(direction).first)
    #expect(before.volume == volume && before.isMuted)
    try await client.moveStream(direction, stream.index, to: "hall" + suffix)
    let all = try await client.snapshot()
    let read = try #require(all.streams(direction).first)
    #expect(all.device(direction, at: read.device)?.name == "hall" + suffix)
    #expect(await stream.deviceName == "hall" + suffix)
    await expect(.noSuchEntity, "move_\(direction.streamWord) \(stream.index) nowhere") {
      try await client.moveStream(direction, stream.index, to: "nowhere")
    }
  }

  @Test func modules() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    let index = try await client.loadModule("module-null-sink", "sink_name=new")
    #expect(try await client.snapshot().module(at: index)?.argument == "sink_name=new")
    #expect(try await client.sink(named: "new")?.ownerModule == index)
    try await client.unloadModule(index)
    // It says so and does it then, maybe after the next answer.
    while try await client.snapshot().module(at: index) != nil {}
    await expect(.noSuchEntity, "unload_module \(index)") { try await client.unloadModule(index) }
    await expect(.moduleFailed, "load_module module-null-sink rubbish=1") {
      try await client.loadModule("module-null-sink", "rubbish=1")
    }
  }

  @Test func suspends() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    try await client.suspend(.output, device: "hall", true)
    #expect(try await client.sink(named: "hall")?.state == .suspended)
    try await client.suspend(.output, device: "hall", false)
    #expect(try await client.sink(named: "hall")?.state == .idle)
    // A monitor cannot be suspended by itself.
    await expect(.invalidArgument, "suspend_source hall.monitor true") {
      try await client.suspend(.input, device: "hall.monitor", true)
    }
  }

  @Test func messages() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    let handlers = try await client.sendMessage(to: "/core", "list-handlers")
    #expect(handlers?.contains("/core") == true)
    await expect(.noSuchEntity, "send_message /nowhere x") {
      try await client.sendMessage(to: "/nowhere", "x", "y")
    }
    await expect(.notSupported, "send_message /core x") {
      try await client.sendMessage(to: "/core", "x")
    }
  }

  @Test func errorsNameTheOperation() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    await expect(.noSuchEntity, "set_default_source x") { try await client.setDefaultSource("x") }
    await expect(.noSuchEntity, "set_card_profile card off") {
      try await client.setCardProfile("card", "off")
    }
    await expect(.noSuchEntity, "set_source_port x mic") {
      try await client.setPort(.input, device: "x", port: "mic")
    }
    await expect(.notSupported, "set_sink_port hall line") {
      try await client.setPort(.output, device: "hall", port: "line")
    }
    await expect(.noSuchEntity, "set_port_latency_offset card port") {
      try await client.setPortLatencyOffset(card: "card", port: "port", .milliseconds(-5))
    }
    await expect(.noSuchEntity, "kill_sink_input 99") {
      try await client.killStream(.output, Index(99))
    }
    await expect(.noSuchEntity, "kill_client 99") { try await client.killClient(Index(99)) }
    await expect(.invalidArgument, "set_default_sink ") { try await client.setDefaultSink("") }
  }

  @Test func errorSaysWhatAndWhyAndWhatToDo() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    do {
      try await client.setDefaultSource("x")
      Issue.record("no error")
    } catch {
      #expect(error.code == .noSuchEntity)
      #expect(error.serverMessage == "No such entity")
      let place = try #require(error.address)
      #expect(
        error.description == "set_default_source x: no such entity (server \(place));"
          + " list what there is, and use one of those names")
    }
  }
}
