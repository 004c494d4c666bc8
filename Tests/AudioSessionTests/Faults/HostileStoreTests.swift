import PulseTypes
import SessionCore
import SessionProfiles
import TestSupport
import Testing

@testable import AudioSession

/// The store's files may hold anything: it is refused, or it survives all that is done with it.
@Suite struct HostileStoreTests {
  private static let mode: AudioMode = {
    var mode = AudioMode(category: .playAndRecord)
    mode.sampleRate = 48000
    mode.ioBufferDuration = .frames(256)
    mode.preferredInput = ["alsa_input.usb.*", .all([.formFactor("headset"), .portType(.mic)])]
    mode.inputGain = Volume(fraction: 0.355)
    mode.inputLatencyOffset = .milliseconds(-12)
    mode.channelMap = .positions([.frontRight, .frontLeft])
    mode.options = [.duckOthers]
    return mode
  }()

  private static let orders: [Order] = [
    order(.apply(mode, profile: "p"), 7, .seconds(5)),
    order(.revert(keepsMode: true, forgets: true), 8, .zero),
    order(.takeOver, 9, .milliseconds(1)),
    order(.adopt(mode, profile: nil), 10, .seconds(5)),
  ]

  private static func order(_ kind: Order.Kind, _ number: Int, _ timeout: Duration) -> Order {
    Order(kind: kind, number: number, process: 42, holder: 43, timeout: timeout)
  }

  /// A store whose files are in memory.
  private func store(_ files: [StoreFiles.File: [UInt8]]) throws -> SessionStore {
    let store = SessionStore(
      folder: "/s", server: SessionStore.Server("unix:/x"), calls: MemoryFiles())
    for (file, bytes) in files { try store.files.write(bytes, to: file) }
    return store
  }

  @Test func `no order ends a holder, and none takes the numbers of later ones`() throws {
    var read = 0
    for (seed, order) in Self.orders.enumerated() {
      var texts = HostileTexts(Array(order.text.utf8), seed: UInt64(seed))
      for _ in 0..<HostileTexts.count(400) {
        let store = try store([.order: texts.next()])
        guard let order = store.order() else { continue }
        read += 1
        let next = store.nextOrderNumber()
        #expect(next > order.number && Order.numbers.contains(next))
        _ = Budget(order.timeout)
        _ = order.text
        switch order.kind {
        case .apply(let mode, _), .adopt(let mode, _): use(mode)
        case .revert, .takeOver, .unreadable: break
        }
      }
    }
    #expect(read > 400)
  }

  private func use(_ mode: AudioMode) {
    do { try mode.validate() } catch { return }
    let server = ServerInfo(
      name: "pulseaudio", version: "16.1",
      sampleSpec: SampleSpec(format: .s16le, rate: 44100, channels: 2), channelMap: .stereo,
      defaultSinkName: nil, defaultSourceName: nil, cookie: 1)
    let input = PlanInput(mode: mode, snapshot: ServerSnapshot(server: server))
    _ = try? Plan.make(input)
    _ = SessionState(input: input, mode: mode, server: nil, profile: nil, active: true)
  }

  @Test func `an order of a later version is there to be refused, and an answer says so`() throws {
    for text in [
      Self.orders[0].text.replacing("version = 1", with: "version = 2"),
      "new-key = { a = 1 }\n" + Self.orders[0].text,
    ] {
      let order = try #require(try store([.order: Array(text.utf8)]).order())
      #expect(order.number == 7 && order.process == 42)
      guard case .unreadable = order.kind else {
        Issue.record("\(order)")
        continue
      }
    }
    let answer = try #require(
      try store([.answer: Array(#"{"number":7,"report":{"form":2}}"#.utf8)]).answer())
    #expect(answer.number == 7 && answer.error?.code == .refused)
  }

  @Test func `an order or an answer with the greatest number counts as none`() throws {
    var order = Self.orders[2]
    order.number = .max
    let answer = try StoreCoding.encode(Answer(number: .max))
    let store = try store([.order: Array(order.text.utf8), .answer: answer])
    #expect(store.order() == nil && store.answer() == nil)
    #expect(Order.numbers.contains(store.nextOrderNumber()))
  }

  @Test func `no stored mode ends a session`() throws {
    let stored = StoredMode(mode: Self.mode, profile: "p", generation: 3, isActive: true)
    var texts = HostileTexts(Array(stored.text.utf8), seed: 1)
    var read = 0
    for _ in 0..<HostileTexts.count(800) {
      let store = try store([.mode: texts.next()])
      _ = store.generation().addingSaturating(1)
      guard let stored = try? store.mode() else { continue }
      read += 1
      use(stored.mode)
      _ = stored.text
    }
    #expect(read > 200)
  }

  @Test func `no status and no answer ends a command`() throws {
    let state = SessionState(
      input: nil, mode: Self.mode, server: nil, profile: "p", active: true)
    var learned = Learned()
    learned.refusals = [.chain(.input): "no"]
    let status = SessionStore.Status(
      generation: 3, memory: HintMemory(), learned: learned, state: state)
    let error = SessionError(.timedOut, stage: .session, "m")
    var statuses = HostileTexts(try StoreCoding.encode(status), seed: 1)
    var answers = HostileTexts(try StoreCoding.encode(Answer(number: 5, error: error)), seed: 1)
    var read = 0
    for _ in 0..<HostileTexts.count(500) {
      let store = try store([.status: statuses.next(), .answer: answers.next()])
      _ = store.generation().addingSaturating(1)
      if try store.holdersState() != nil { read += 1 }
      _ = store.known()
      if let answer = store.answer() { #expect(store.nextOrderNumber() > answer.number) }
    }
    #expect(read > 100)
  }

  @Test(arguments: [Duration.seconds(Int64.max), .milliseconds(Int64.max), .seconds(Int64.min)])
  func `a time limit of any length is one`(_ limit: Duration) {
    let budget = Budget(limit)
    #expect(budget.whole.remaining >= budget.run.remaining)
  }
}
