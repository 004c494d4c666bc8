import JSONCoding
import PulseTypes
import TestSupport
import Testing

@testable import SessionCore

/// A snapshot that keeps account of where everything is answers as one that searches.
@Suite("Places in a snapshot")
struct PlacesTests {
  @Test(
    "whatever comes, goes and changes, what is asked for is found",
    arguments: 0..<40 as Range<UInt64>)
  func found(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var server = random.machine()
    if random.one(in: 2) { random.addLeftover(to: &server) }
    var searched = server.snapshot
    var placed = searched
    placed.findPlaces(properties: Owned.soughtProperties)
    expectTheSame(placed, searched, "seed \(seed)")
    for round in 0..<30 {
      var updates = SnapshotUpdates()
      for _ in 0..<random.int(in: 1...5) { random.addChange(of: searched, to: &updates) }
      searched.take(updates)
      placed.take(updates)
      if random.one(in: 3) { placed.findLostPlaces() }
      #expect(placed == searched, "seed \(seed), round \(round)")
      expectTheSame(placed, searched, "seed \(seed), round \(round)")
    }
  }

  private func expectTheSame(
    _ placed: ServerSnapshot, _ searched: ServerSnapshot, _ comment: Comment
  ) {
    func same<Value: Equatable>(_ value: (ServerSnapshot) -> Value) -> Bool {
      value(placed) == value(searched)
    }
    for direction in Direction.allCases {
      for device in searched.devices(direction) {
        #expect(same { $0.device(direction, named: device.name) }, comment)
        #expect(same { $0.device(direction, at: device.index) }, comment)
        #expect(same { $0.streams(on: device) }, comment)
        #expect(same { server in server.streams(on: device) { !$0.isCorked } }, comment)
        #expect(same { $0.isOwned(device) }, comment)
        #expect(same { $0.module(of: device) }, comment)
      }
      for stream in searched.streams(direction) {
        #expect(same { $0.stream(direction, at: stream.index) }, comment)
        #expect(same { $0.client(of: stream) }, comment)
        #expect(same { $0.hasOwnSession(stream) }, comment)
      }
      for card in searched.cards { #expect(same { $0.devices(direction, of: card) }, comment) }
      for module in searched.modules {
        #expect(same { $0.streams(direction, of: module.index) }, comment)
        #expect(same { $0.modules(named: module.name) }, comment)
      }
      #expect(same { $0.device(direction, named: "nobody") }, comment)
      for property in Owned.soughtProperties + ["device.bus"] {
        #expect(same { $0.devices(direction, having: property) }, comment)
        #expect(same { $0.streams(direction, having: property) }, comment)
        #expect(
          same { server in server.streams(direction, having: property) { !$0.isCorked } }, comment)
        #expect(same { $0.clients(having: property) }, comment)
      }
    }
  }

  @Test("updates replace, remove and add, new ones in the order of their numbers")
  func updates() {
    func sink(_ number: UInt32) -> Device {
      Device(
        direction: .output, index: Index(number), name: "sink \(number)",
        sampleSpec: SampleSpec(format: .s16le, rate: 44100, channels: 2), channelMap: .stereo)
    }
    var before = SeededRandom(seed: 2).aMachine()
    before.sinks = [4, 2, 7].map(sink)
    var muted = sink(7)
    muted.isMuted = true
    var updates = SnapshotUpdates()
    updates.set(.output, at: sink(4).index, to: nil)
    updates.set(.output, at: muted.index, to: muted)
    for number in [11, 9, 10] as [UInt32] {
      updates.set(.output, at: Index(number), to: sink(number))
    }
    updates.set(.output, at: sink(12).index, to: nil)
    for hasPlaces in [true, false] {
      var after = before
      if hasPlaces { after.findPlaces(properties: []) }
      after.take(updates)
      #expect(after.sinks == [sink(2), muted, sink(9), sink(10), sink(11)])
      #expect(after.sources == before.sources)
    }
  }

  @Test("of two devices with one name the first is meant, and empty names are names")
  func doubles() {
    var snapshot = SeededRandom(seed: 1).aMachine()
    for at in snapshot.sinks.indices { snapshot.sinks[at].name = "" }
    var placed = snapshot
    placed.findPlaces(properties: [])
    expectTheSame(placed, snapshot, "")
    #expect(placed.device(.output, named: "")?.index == snapshot.sinks.first?.index)
  }

  @Test("what is edited is found, and the index of its list stays if it has the same keys")
  func editing() {
    for seed in 0..<50 {
      var random = SeededRandom(seed: UInt64(seed))
      let former = random.machine().snapshot
      var searched = former
      var placed = former
      placed.findPlaces(properties: Owned.soughtProperties)
      let indexed = placed
      func edit(
        _ changeDevice: (inout Device) -> Void, _ changeStream: (inout Stream) -> Void
      ) {
        for direction in Direction.allCases {
          for device in former.devices(direction) {
            searched.edit(direction, named: device.name, changeDevice)
            placed.edit(direction, named: device.name, changeDevice)
          }
          for stream in former.streams(direction) {
            searched.edit(direction, at: stream.index, changeStream)
            placed.edit(direction, at: stream.index, changeStream)
          }
        }
      }
      edit({ $0.isMuted.toggle() }, { $0.isCorked.toggle() })
      #expect(placed == searched && placed.surelyHasDevices(of: indexed), "seed \(seed)")
      expectTheSame(placed, searched, "seed \(seed)")
      edit({ $0.name += "x" }, { $0.device = nil })
      #expect(placed == searched, "seed \(seed)")
      placed.findLostPlaces()
      expectTheSame(placed, searched, "seed \(seed)")
      let hasDevices = !(former.sources + former.sinks).isEmpty
      #expect(placed.surelyHasDevices(of: indexed) != hasDevices, "seed \(seed)")
    }
  }

  @Test(
    "the session manager is found by what it says or by its program, and only where there is one",
    arguments: [
      ["wireplumber.daemon": "true"], ["application.process.binary": "wireplumber"],
      ["application.process.binary": "pipewire-media-session"],
    ])
  func manager(_ properties: [String: String]) {
    for kind in [ServerKind.pulseaudio, .pipewire] {
      var searched = SimulatedServer(kind: kind).snapshot
      searched.clients = [
        Client(index: Index(3), name: "mpv", properties: ["application.process.binary": "mpv"]),
        Client(index: Index(5), name: "manager", properties: properties),
      ]
      var placed = searched
      placed.findPlaces(properties: Owned.soughtProperties)
      let expected: Index<Client>? = kind == .pipewire ? Index(5) : nil
      #expect(searched.sessionManager?.index == expected, "\(kind)")
      #expect(placed.sessionManager?.index == expected, "\(kind)")
    }
  }

  /// The same server, read once more.
  private func copy(of snapshot: ServerSnapshot) throws -> ServerSnapshot {
    try JSON.decode(ServerSnapshot.self, from: JSON.encode(snapshot))
  }

  @Test("a whole reading keeps the index of what has not changed")
  func keeping() throws {
    for seed in 0..<50 {
      var random = SeededRandom(seed: UInt64(seed))
      var former = random.machine().snapshot
      former.findPlaces(properties: Owned.soughtProperties)
      var same = try copy(of: former)
      #expect(!same.surelyHasDevices(of: former))
      same.keep(former)
      #expect(same == former && same.surelyHasDevices(of: former))
      // Other levels leave the index, another name does not, and neither is lost.
      var changed = try copy(of: former)
      for place in changed.sinks.indices { changed.sinks[place].isMuted.toggle() }
      for place in changed.sources.indices { changed.sources[place].name += "x" }
      let expected = changed
      changed.keep(former)
      changed.findLostPlaces()
      #expect(changed == expected)
      #expect(changed.surelyHasDevices(of: former) == former.sources.isEmpty)
      for device in changed.sources + changed.sinks {
        #expect(changed.device(device.direction, named: device.name) == device)
        #expect(changed.device(device.direction, at: device.index) == device)
      }
    }
  }

  @Test("the same devices are known for the same, and only they")
  func sameness() throws {
    let plain = SeededRandom(seed: 2).aMachine()
    #expect(!plain.surelyHasDevices(of: plain), "nobody kept account")
    var placed = plain
    placed.findPlaces(properties: Owned.soughtProperties)
    var sink = try #require(placed.sinks.first)
    var changed = placed
    sink.isMuted.toggle()
    changed.update(.output, at: sink.index, to: sink)
    #expect(changed.surelyHasDevices(of: placed) && changed != placed)
    var renamed = placed
    sink.name += "x"
    renamed.update(.output, at: sink.index, to: sink)
    renamed.findLostPlaces()
    #expect(!renamed.surelyHasDevices(of: placed))
    var fewer = placed
    fewer.update(.output, at: sink.index, to: nil)
    #expect(!fewer.surelyHasDevices(of: placed))
    fewer.findLostPlaces()
    #expect(!fewer.surelyHasDevices(of: placed))
  }
}

extension ServerSnapshot {
  fileprivate mutating func update(
    _ direction: Direction, at index: Index<Device>, to device: Device?
  ) {
    var updates = SnapshotUpdates()
    updates.set(direction, at: index, to: device)
    take(updates)
  }
}

extension SeededRandom {
  /// The snapshot of a random machine.
  fileprivate func aMachine() -> ServerSnapshot {
    var random = self
    return random.machine().snapshot
  }

  /// Adds something that may happen on a server.
  fileprivate mutating func addChange(
    of snapshot: ServerSnapshot, to updates: inout SnapshotUpdates
  ) {
    let direction = pick(Direction.allCases)
    let number = UInt32(int(in: 0...2000))
    let (isGone, isOther) = (one(in: 4), one(in: 3))
    switch int(in: 0...5) {
    case 0:
      guard var device = snapshot.devices(direction).randomElement(using: &self) else { return }
      device.isMuted.toggle()
      if isOther {
        device.name = "device \(number)"
        device.properties[Owned.roleKey] = one(in: 2) ? "remap" : nil
      }
      updates.set(direction, at: device.index, to: isGone ? nil : device)
    case 1:
      let device = Device(
        direction: direction, index: Index(number), name: "new \(number)",
        sampleSpec: SampleSpec(format: .s16le, rate: 44100, channels: 2), channelMap: .stereo)
      updates.set(direction, at: device.index, to: device)
    case 2:
      let on = snapshot.devices(direction).randomElement(using: &self)?.index
      let index = snapshot.streams(direction).randomElement(using: &self)?.index ?? Index(number)
      let stream = Stream(
        direction: direction, index: isOther ? Index(number) : index, client: Index(number % 3),
        device: on, sampleSpec: SampleSpec(format: .s16le, rate: 44100, channels: 2),
        channelMap: .stereo, isCorked: one(in: 2),
        properties: one(in: 2) ? [Owned.pinKey: "rate"] : [:])
      updates.set(direction, at: stream.index, to: isGone ? nil : stream)
    case 3:
      let client = Client(
        index: Index(number % 3), name: "client", properties: isOther ? [Owned.scopeKey: "x"] : [:])
      updates.set(at: client.index, to: isGone ? nil : client)
    case 4:
      let module = Module(index: Index(number % 5), name: "module-\(number % 2)")
      updates.set(at: module.index, to: isGone ? nil : module)
    default:
      var info = snapshot.server
      info.defaultSinkName = "nobody"
      updates.set(info)
    }
  }
}
