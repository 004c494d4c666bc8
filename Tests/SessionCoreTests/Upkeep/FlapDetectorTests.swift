import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

@Suite("Grace for what flaps")
struct FlapDetectorTests {
  typealias Spot = SessionCore.Attachment

  private let microphone = Spot.device("mic")

  @Test("the first return is used at once, the second after it has stayed")
  func returns() {
    var watch = FlapDetector()
    watch.note([microphone], at: .zero)
    watch.note([], at: .seconds(1))
    watch.note([microphone], at: .seconds(2))
    #expect(watch.unsteady(at: .seconds(2)).isEmpty)
    watch.note([], at: .seconds(3))
    watch.note([microphone], at: .seconds(4))
    #expect(watch.unsteady(at: .seconds(4)) == [microphone])
    #expect(watch.nextEnd(after: .seconds(4)) == .seconds(7))
    #expect(watch.unsteady(at: .seconds(7)).isEmpty)
    #expect(watch.nextEnd(after: .seconds(7)) == nil)
  }

  @Test("each departure begins the wait anew")
  func again() {
    var watch = FlapDetector()
    for second in 0..<8 {
      watch.note(second % 2 == 0 ? [microphone] : [], at: .seconds(second))
    }
    #expect(watch.unsteady(at: .seconds(7)).isEmpty, "it is away")
    watch.note([microphone], at: .seconds(8))
    #expect(watch.nextEnd(after: .seconds(8)) == .seconds(11))
  }

  @Test("departures long ago do not count")
  func window() {
    var watch = FlapDetector()
    watch.note([microphone], at: .zero)
    watch.note([], at: .seconds(1))
    watch.note([microphone], at: .seconds(2))
    watch.note([], at: .seconds(30))
    watch.note([microphone], at: .seconds(31))
    #expect(watch.unsteady(at: .seconds(31)).isEmpty)
  }

  @Test("what is asked anew is forgotten")
  func forget() {
    var watch = FlapDetector()
    for second in 0..<5 {
      watch.note(second % 2 == 0 ? [microphone] : [], at: .seconds(second))
    }
    #expect(!watch.unsteady(at: .seconds(4)).isEmpty)
    watch.forget()
    #expect(watch.unsteady(at: .seconds(4)).isEmpty)
  }

  @Test("a grace that outlasts the window is kept whatever else is plugged in")
  func graceBeyondWindow() {
    var watch = FlapDetector()
    for second in 0..<4 {
      watch.note(second % 2 == 0 ? [microphone] : [], at: .seconds(second))
    }
    // Both departures are ten seconds old before it is steady.
    watch.note([microphone], at: .milliseconds(10_900))
    watch.note([microphone, .card("other")], at: .milliseconds(13_500))
    #expect(watch.unsteady(at: .milliseconds(13_500)) == [microphone])
    watch.note([microphone], at: .milliseconds(13_900))
    #expect(watch.unsteady(at: .milliseconds(13_900)).isEmpty)
    watch.note([], at: .seconds(14))
    watch.note([microphone], at: .seconds(15))
    #expect(watch.unsteady(at: .seconds(15)).isEmpty, "its history ended")
  }

  @Test("what is present: usable connectors, cards, and devices without one")
  func attachments() {
    let server = Server.machine {
      $0.addLaptop(jacks: ["analog-output-headphones": .yes])
      $0.addLoose(.input, "array", .quad)
    }
    let ports = [
      "analog-input-internal-mic", "analog-output-speaker", "analog-output-headphones",
    ]
    #expect(
      server.snapshot.attachments
        == Set(ports.map { Spot.port(card: "alsa_card.pci", port: $0) })
        .union([.card("alsa_card.pci"), .device("array")]))
  }

  @Test("a device and its card are read one after the other: the device counts, whichever it is")
  func deviceCounts() throws {
    var snapshot = Server.laptop().snapshot
    snapshot.findPlaces(properties: Owned.soughtProperties)
    let name = "analog-input-internal-mic"
    let spot = Spot.port(card: "alsa_card.pci", port: name)
    func read(_ availability: PortAvailability) throws -> ServerSnapshot {
      var source = try #require(snapshot.sources.first { $0.name == Server.microphone })
      let port = try #require(source.ports.firstIndex { $0.name == name })
      source.ports[port].availability = availability
      var (result, updates) = (snapshot, SnapshotUpdates())
      updates.set(.input, at: source.index, to: source)
      result.take(updates)
      return result
    }
    let unplugged = try read(.no)
    #expect(!unplugged.attachments.contains(spot))
    #expect(!unplugged.surelyHasAttachments(of: snapshot))
    #expect(try unplugged.surelyHasAttachments(of: read(.no)))
    let port = try #require(snapshot.cards[0].ports.firstIndex { $0.name == name })
    snapshot.cards[0].ports[port].availability = .no
    #expect(try !read(.no).attachments.contains(spot) && read(.yes).attachments.contains(spot))
  }

  @Test("a device that is gone counts as gone where its card still says that it is plugged in")
  func deviceGoesFirst() throws {
    var snapshot = Server.laptop().snapshot
    let spot = Spot.port(card: "alsa_card.pci", port: "analog-input-internal-mic")
    #expect(snapshot.attachments.contains(spot))
    snapshot.sources.removeAll { $0.name == Server.microphone }
    #expect(!snapshot.attachments.contains(spot))
    // Under a profile without its device the card alone knows.
    snapshot.cards[0].activeProfile = "off"
    #expect(snapshot.attachments.contains(spot))
  }

  @Test("the same is known to be present while devices and cards are the same")
  func sameAttachments() throws {
    var snapshot = Server.laptop().snapshot
    #expect(!snapshot.surelyHasAttachments(of: snapshot), "no account is kept")
    snapshot.findPlaces(properties: Owned.soughtProperties)
    var other = snapshot
    let sink = try #require(other.sinks.first)
    var muted = sink
    muted.isMuted.toggle()
    var updates = SnapshotUpdates()
    updates.set(.output, at: sink.index, to: muted)
    other.take(updates)
    #expect(other.surelyHasAttachments(of: snapshot) && !other.hasOtherDevices(than: snapshot))
    other.cards[0].ports[1].availability = .yes
    #expect(!other.surelyHasAttachments(of: snapshot))
    #expect(other.hasOtherDevices(than: snapshot))
    // A headset may get the profile of its microphone later.
    var offered = snapshot
    offered.cards[0].profiles[0].isAvailable.toggle()
    #expect(offered.hasOtherDevices(than: snapshot) && !offered.hasOtherDevices(than: offered))
    var off = snapshot
    off.cards[0].activeProfile = nil
    #expect(off.hasOtherDevices(than: snapshot) && !off.hasOtherDevices(than: off))
  }

  /// What is unsteady, and which of two inputs is used then.
  static let rankings: [(Set<Spot>, String)] = [
    ([.device("array")], Server.microphone),
    ([.card("alsa_card.pci")], "array"),
    // There is no other: the best one is used nevertheless.
    (
      [
        .device("array"), .port(card: "alsa_card.pci", port: "analog-input-internal-mic"),
        .port(card: "alsa_card.pci", port: "analog-input-headset-mic"),
      ], "array"
    ),
  ]

  @Test("the second choice is used until the first is steady", arguments: rankings)
  func ranked(_ unsteady: Set<Spot>, _ used: String) throws {
    let server = Server.machine {
      $0.addLaptop(jacks: ["analog-input-headset-mic": .yes])
      $0.addLoose(.input, "array", .quad)
    }
    let mode = preferring { $0.preferredInput = ["array", .name(Server.microphone)] }
    var run = Run(server, PlanInput(mode: mode, snapshot: server.snapshot))
    run.input.unsteady = unsteady
    run.run()
    #expect(run.failure == nil)
    #expect(run.server.snapshot.server.defaultSourceName == used)
  }

  @Test("a mode that is applied again when devices change uses what flapped once it is steady")
  func onRouteChange() {
    let mode = preferring { $0.reapply = .onRouteChange }
    var life = SessionLife<Int, AudioMode>()
    life.take(1, since: "now")
    life.declare(mode)
    var rules = UpkeepRules()
    for second in 0...4 {
      let server = Server.machine {
        $0.addLaptop()
        if second % 2 == 0 { $0.addLoose(.input, "array", .quad) }
      }
      rules.noteAttachments(server.snapshot, at: .seconds(second))
    }
    rules.beginLook(at: .seconds(4))
    #expect(rules.news == [] && rules.work(life, mode, news: rules.news, at: .seconds(4)) == nil)
    #expect(rules.nextLook == .seconds(7))
    rules.beginLook(at: .seconds(7))
    #expect(rules.work(life, mode, news: rules.news, at: .seconds(7)) != nil)
  }

  @Test("what returns a second time while the mode is applied is used once it is steady")
  func duringRun() throws {
    func read(hasArray: Bool) -> ServerSnapshot {
      Server.machine {
        $0.addLaptop()
        if hasArray { $0.addLoose(.input, "array", .quad) }
      }.snapshot
    }
    var rules = UpkeepRules()
    for second in 0..<4 {
      let unsteady = rules.noteAttachments(read(hasArray: second % 2 == 0), at: .seconds(second))
      #expect(unsteady.isEmpty)
    }
    let mode = preferring { $0.preferredInput = ["array", .name(Server.microphone)] }
    var loop = Reconciler(PlanInput(mode: mode, snapshot: read(hasArray: false)))
    func uses(hasArray: Bool, at second: Int) throws -> Bool {
      let snapshot = read(hasArray: hasArray)
      let unsteady = rules.noteAttachments(snapshot, at: .seconds(second))
      let plan = try loop.didRead(snapshot, unsteady: unsteady)
      return plan.steps.contains {
        $0.setting == .defaultDevice(.input) && $0.to == .name("array")
      }
    }
    #expect(try !uses(hasArray: false, at: 4))
    #expect(try !uses(hasArray: true, at: 5))
    #expect(try uses(hasArray: true, at: 8))
  }

  @Test("a device is unsteady with its card, or with each connector that can be used")
  func connectors() throws {
    let server = Server.laptop(jacks: ["analog-input-headset-mic": .yes])
    func has(_ unsteady: Spot...) -> Bool {
      server.snapshot.has(.name(Server.microphone), .input, except: Set(unsteady))
    }
    func jack(_ name: String) -> Spot { .port(card: "alsa_card.pci", port: name) }
    #expect(has(jack("analog-input-headset-mic")))
    #expect(has(jack("analog-input-internal-mic"), jack("analog-input-linein")))
    #expect(!has(jack("analog-input-internal-mic"), jack("analog-input-headset-mic")))
    #expect(!has(.card("alsa_card.pci")))
    #expect(has(.card("alsa_card.usb"), .device(Server.microphone)))
  }
}
