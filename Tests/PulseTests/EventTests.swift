import PulseTypes
import TestSupport
import Testing

@testable import Pulse

@Suite(.needsPulseAudio, .timeLimit(.minutes(10)))
struct EventTests {
  /// PulseAudio answers, then sends the events; sometimes the next answer comes before them. It answers
  /// before it unloads a module, too.
  @Test func eventsFollowTheAnswer() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    let seen = Shared<[PulseEvent]>([])
    await client.setEventHandler { event in
      client.assumeIsolated { $0.loop.checkIsolated() }
      seen.update { $0.append(event) }
    }
    try await client.subscribe()
    let module = try await client.loadModule("module-null-sink", "sink_name=new")
    let sink = try #require(try await client.sink(named: "new"))
    let source = try #require(try await client.source(named: "new.monitor"))
    let made: Set<ObjectID> = [
      ObjectID(.module, module.rawValue), .device(.output, sink.index),
      .device(.input, source.index),
    ]
    try await wait {
      made.isSubset(of: seen.value.filter { $0.kind == .new }.map(\.object))
    }
    try await client.setDefaultSink("new")
    try await wait { seen.value.contains { $0.object == .server && $0.kind == .change } }
    try await client.unloadModule(module)
    try await wait {
      made.isSubset(of: seen.value.filter { $0.kind == .remove }.map(\.object))
    }
  }

  /// A handler is inside the actor, and may do there what it wants.
  @Test func theHandlerMayCloseTheClient() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    let stream = try await client.openStream(.pin(.input, on: "hall.monitor"))
    await client.setEventHandler { [unowned client] _ in
      client.assumeIsolated {
        $0.setEventHandler(nil)
        $0.close()
      }
    }
    try await client.subscribe()
    await expect(.closed, "get_") {
      try await client.setMute(.output, device: "hall", true)
      while true { _ = try await client.snapshot() }
    }
    #expect(await !stream.isOpen)
    #expect(await client.pendingCount == 0)
  }

  @Test func severalConsumers() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    let streams = [await client.events(), await client.events(), await client.events()]
    let bounded = await client.events(bufferingNewest: 1)
    let seen = Shared<[PulseEvent]>([])
    await client.setEventHandler { event in seen.update { $0.append(event) } }
    try await client.subscribe()
    // Events come after the answers.
    try await client.setMute(.output, device: "hall", true)
    try await wait { seen.value.contains { $0.facility == .sink } }
    try await client.setMute(.output, device: "speaker", true)
    let sinks = try await client.sinks()
    try await wait { seen.value.count { $0.facility == .sink } == 2 }
    await client.close()
    let expected = seen.value
    #expect(
      expected.filter { $0.facility == .sink }
        == sinks.reversed().map {
          PulseEvent(facility: .sink, kind: .change, index: $0.index.rawValue)
        })
    for stream in streams {
      var events: [PulseEvent] = []
      for await event in stream { events.append(event) }
      #expect(events == expected)
    }
    var last: [PulseEvent] = []
    for await event in bounded { last.append(event) }
    #expect(last == expected.suffix(1))
    for await _ in await client.events() { Issue.record("an event after the end") }
  }

  @Test func `what comes and goes between two readings is no change`() {
    func event(_ kind: PulseEvent.Kind, _ index: UInt32) -> PulseEvent {
      PulseEvent(facility: .client, kind: kind, index: index)
    }
    var changes = SnapshotChanges()
    for index in 0..<1000 as Range<UInt32> {
      changes.note(event(.new, index))
      changes.note(event(.change, index))
      changes.note(event(.remove, index))
    }
    #expect(changes.isEmpty)
    // One that was there before has gone.
    changes.note(event(.remove, 5000))
    #expect(changes.objects.count == 1)
    // One that came while a snapshot was read may be in that.
    changes.note(event(.new, 6000), isReading: true)
    changes.note(event(.remove, 6000))
    #expect(changes.objects.count == 2)
  }

  @Test func `an index that the server gives again is another object`() {
    func event(_ kind: PulseEvent.Kind) -> PulseEvent {
      PulseEvent(facility: .module, kind: kind, index: 5)
    }
    let object = ObjectID(.module, 5)
    var changes = SnapshotChanges()
    changes.note(event(.remove))
    #expect(changes.gone == [object] && changes.replaced.isEmpty)
    var later = SnapshotChanges()
    later.note(event(.new))
    // A reading that failed after the removal was noted.
    later.merge(changes)
    #expect(later.gone.isEmpty && later.replaced == [object])
    changes.note(event(.new))
    #expect(changes.gone.isEmpty && changes.replaced == [object])
    // The same by this client, before the events; another program then takes the index.
    var own = SnapshotChanges()
    own.unload(Index(5))
    own.load(Module(index: Index(5), name: "module-null-sink", argument: ""))
    #expect(own.gone.isEmpty && own.loaded[object] != nil)
    own.note(event(.remove))
    own.note(event(.new))
    #expect(own.gone.isEmpty && own.loaded[object] == nil && own.replaced == [object])
  }

  /// What the events say is enough to keep a snapshot equal to a full listing.
  @Test func refreshedEqualsAFullListing() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    let changes = Shared(SnapshotChanges())
    await client.setEventHandler { event in changes.update { $0.note(event) } }
    try await client.subscribe()
    let before = try await client.snapshot()
    changes.update { $0 = SnapshotChanges() }
    _ = try await client.loadModule("module-null-sink", "sink_name=new")
    let hall = try #require(before.device(.output, named: "hall"))
    try await client.setDefaultSource("hall.monitor")
    try await client.unloadModule(#require(hall.ownerModule))
    try await client.setVolume(.output, device: "speaker", ChannelVolumes(.muted, channels: 2))
    let stream = try await client.openStream(.pin(.input, on: "new.monitor"))
    // A module is unloaded a moment after the server has said so, and its events come after that.
    while try await client.snapshot().device(.output, named: "hall") != nil {}
    let speaker = try #require(before.device(.output, named: "speaker"))
    let last = [ObjectID.device(.output, speaker.index), .stream(.input, stream.index)]
    try await wait { changes.value.objects.isSuperset(of: last) }
    let full = try await client.snapshot()
    let refreshed = try await client.refreshed(before, changes.value)
    #expect(refreshed == full)
    #expect(try await client.snapshot(since: before, changes.value) == full)
    #expect(refreshed != before)
    #expect(try await client.refreshed(full, SnapshotChanges()) == full)
    let none = SnapshotChanges([ObjectID(.sampleCache, 1), ObjectID(.card, 77)])
    #expect(try await client.refreshed(full, none) == full)
    await stream.close()
  }
}
