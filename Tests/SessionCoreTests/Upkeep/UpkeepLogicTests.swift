import PulseTypes
import Testing

@testable import SessionCore

private typealias Server = SimulatedServer

@Suite("When a session asks again for the defaults")
struct DefaultsCheckTests {
  @Test("with each look, but not twice in five seconds, and without one after a while")
  func times() {
    var check = DefaultsCheck()
    #expect(check.nextCheck == nil)
    let looks = [(5.0, true), (9.5, true), (10, true), (11, false)].map { time, isNeeded in
      check.beginLook(at: .seconds(time), isNeeded: isNeeded) ? check.nextCheck : nil
    }
    #expect(looks == [.seconds(20), nil, .seconds(25), nil])
    #expect(check.nextCheck == nil)
  }

  @Test("for a reader every fifteen seconds, and no longer than there is one")
  func readers() {
    var check = DefaultsCheck()
    let looks = [(5.0, true), (11, true), (20, true), (21, false)].map { time, isNeeded in
      check.beginLook(at: .seconds(time), isNeeded: isNeeded, isHolder: false)
    }
    #expect(looks == [true, false, true, false])
    #expect(check.nextCheck == nil)
  }
}

@Suite("What a holder does at a look")
struct WorkTests {
  private func work(
    _ policy: ReapplyPolicy, _ options: Set<CategoryOption>, _ news: UpkeepRules.News = []
  ) -> String {
    var life = SessionLife<Int, Int>()
    life.take(1, since: "now")
    life.declare(2)
    let mode = preferring {
      $0.reapply = policy
      $0.options = options
    }
    switch UpkeepRules().work(life, mode, news: news, at: .zero) {
    case .reapply: return "all"
    case .treatOthers: return "others"
    case .restore, .restoreReturned: return "restores"
    case nil: return "nothing"
    }
  }

  @Test("others' streams are treated at each look, whenever the rest is applied again")
  func others() {
    let policies: [ReapplyPolicy] = [.always, .onRouteChange, .never]
    #expect(policies.map { work($0, [.silenceOthers]) } == ["all", "others", "others"])
    #expect(policies.map { work($0, [.mixWithOthers]) } == ["all", "nothing", "nothing"])
    #expect(policies.map { work($0, [.duckOthers], .otherDevices) } == ["all", "all", "others"])
  }
}

@Suite("When a session looks again")
struct PacerTests {
  @Test("a single change is answered at once")
  func single() {
    var pacer = Pacer()
    #expect(pacer.nextLook == nil)
    pacer.noteChange(at: .seconds(5))
    #expect(pacer.nextLook == .seconds(5))
  }

  @Test("the first changes are answered at once, what goes on coming waits until it is quiet")
  func burst() {
    var pacer = Pacer()
    for number in 0..<Pacer.freeLooks {
      pacer.noteChange(at: .milliseconds(number))
      #expect(pacer.nextLook == .milliseconds(number))
      pacer.beginLook()
      pacer.endLook()
    }
    pacer.noteChange(at: .milliseconds(5))
    #expect(pacer.nextLook == .milliseconds(25))
    pacer.noteChange(at: .milliseconds(15))
    #expect(pacer.nextLook == .milliseconds(35))
    // However many more come, it is looked at by the end of the longest burst.
    for at in 0..<10_000 { pacer.noteChange(at: .milliseconds(15) + .microseconds(at * 30)) }
    #expect(pacer.nextLook! <= .milliseconds(5 + 250))
  }

  @Test("ten thousand changes in a second are a handful of looks")
  func storm() {
    var pacer = Pacer()
    var looks = 0
    for at in 0..<10_000 {
      let now = Duration.microseconds(at * 100)
      pacer.noteChange(at: now)
      guard let next = pacer.nextLook, next <= now else { continue }
      pacer.beginLook()
      pacer.endLook()
      looks += 1
    }
    #expect(looks <= Pacer.freeLooks + 4)
    #expect(pacer.nextLook != nil, "the last change is looked at, too")
  }

  @Test("after a quiet time a change is answered at once again")
  func afterBurst() {
    var pacer = Pacer()
    for at in 0..<100 {
      pacer.noteChange(at: .milliseconds(at))
      if pacer.nextLook! <= .milliseconds(at) { pacer.beginLook() }
    }
    pacer.beginLook()
    pacer.noteChange(at: .milliseconds(120))
    #expect(pacer.nextLook == .milliseconds(120))
  }

  @Test("a change during a look calls for the next one")
  func during() {
    var pacer = Pacer()
    pacer.noteChange(at: .zero)
    pacer.beginLook()
    pacer.noteChange(at: .milliseconds(3))
    pacer.endLook()
    #expect(pacer.nextLook == .milliseconds(3))
    pacer.beginLook()
    pacer.endLook()
    #expect(pacer.nextLook == nil)
  }

  @Test("after failures the pause doubles up to a second, and a success ends it")
  func backoff() {
    var pacer = Pacer()
    var now = Duration.zero
    var pauses: [Duration] = []
    for _ in 0..<9 {
      pacer.beginLook()
      pacer.failLook(at: now)
      let next = pacer.nextLook!
      pauses.append(next - now)
      now = next
    }
    let expected = [10, 20, 40, 80, 160, 320, 640, 1000, 1000]
    #expect(pauses == expected.map { .milliseconds($0) })
    pacer.beginLook()
    pacer.endLook()
    #expect(pacer.nextLook == nil)
  }
}

@Suite("When somebody undoes a setting again and again")
struct ConflictDetectorTests {
  private let setting = Setting.defaultDevice(.input)

  @Test(
    "five times in a row make a conflict, and a pause of half a minute",
    arguments: [Duration.zero, .milliseconds(900), .seconds(2), .seconds(20)])
  func conflict(each gap: Duration) {
    var watch = ConflictDetector()
    for number in 0..<4 {
      let isConflict = watch.noteChange(of: setting, at: gap * number) != nil
      #expect(!isConflict)
    }
    let end = gap * 4
    let isConflict = watch.noteChange(of: setting, at: end) != nil
    #expect(isConflict)
    #expect(watch.yielded(at: end) == [setting])
    #expect(watch.nextEnd(after: end) == end + .seconds(30))
    #expect(watch.yielded(at: end + .seconds(30)).isEmpty)
  }

  @Test func `so does a program that undoes each request at once, by the pauses of the requests`() {
    var (watch, backoff) = (ConflictDetector(), RefusalBackoff())
    var (now, count) = (Duration.zero, 1)
    while watch.noteChange(of: setting, at: now) == nil {
      backoff.note([setting], at: now)
      guard let next = backoff.nextEnd(after: now) else {
        Issue.record("no request any more, and no conflict")
        return
      }
      // A busy machine is late.
      (now, count) = (next + .seconds(3), count + 1)
    }
    #expect(count == ConflictDetector.limit)
  }

  @Test("changes that are far apart are none")
  func peace() {
    var watch = ConflictDetector()
    for second in stride(from: 0, to: 200, by: 21) {
      let isConflict = watch.noteChange(of: setting, at: .seconds(second)) != nil
      #expect(!isConflict)
    }
  }

  @Test("the next pause is twice as long, and an order of the owner's forgets all")
  func doubling() {
    var watch = ConflictDetector()
    for _ in 0..<5 { _ = watch.noteChange(of: setting, at: .zero) }
    for _ in 0..<5 { _ = watch.noteChange(of: setting, at: .seconds(40)) }
    #expect(watch.nextEnd(after: .seconds(40)) == .seconds(100))
    watch.forget()
    #expect(watch.yielded(at: .seconds(41)).isEmpty)
  }
}

@Suite("When a session is interrupted")
struct InterruptionWatchTests {
  private static let reason = InterruptionReason.deviceSuspended(Server.speakers)

  /// What is noted of a suspended output, each at a time in milliseconds.
  private func changes(
    _ watch: inout InterruptionWatch, _ looks: [(Int, isSuspended: Bool)]
  ) throws -> [InterruptionWatch.Change?] {
    var server = Server.laptop()
    server.add(stream: "music", .output, on: Server.speakers)
    server.editStreams(.output) { $0.client = Index(1) }
    return try looks.map { time, isSuspended in
      try server.edit(.output, Server.speakers) { $0.state = isSuspended ? .suspended : .running }
      return watch.note(
        server.snapshot, mode: AudioMode(category: .playback), process: 1,
        at: .milliseconds(time))
    }
  }

  @Test("a device that stays suspended interrupts after half a second, and until it runs")
  func suspended() throws {
    var watch = InterruptionWatch()
    #expect(try changes(&watch, [(0, false), (10, true), (509, true)]) == [nil, nil, nil])
    #expect(!watch.isInterrupted && watch.mayBeInterrupted)
    #expect(watch.nextEnd(after: .milliseconds(509)) == .milliseconds(510))
    #expect(
      try changes(&watch, [(510, true), (600, true), (700, false)])
        == [.began(Self.reason), nil, .ended])
    #expect(!watch.mayBeInterrupted && watch.nextEnd(after: .zero) == nil)
  }

  @Test("one that runs again before interrupts nothing, and the next time counts from its begin")
  func moment() throws {
    var watch = InterruptionWatch()
    #expect(
      try changes(&watch, [(0, true), (400, false), (500, true), (999, true), (1000, true)])
        == [nil, nil, nil, nil, .began(Self.reason)])
  }

  @Test("another program's call interrupts at once, beside a device that is suspended later")
  func call() throws {
    var watch = InterruptionWatch()
    var server = Server.laptop()
    server.add(stream: "music", .output, on: Server.speakers)
    server.editStreams(.output) { $0.client = Index(1) }
    let mode = AudioMode(category: .playback)
    func note(_ milliseconds: Int) -> InterruptionWatch.Change? {
      watch.note(server.snapshot, mode: mode, process: 1, at: .milliseconds(milliseconds))
    }
    #expect(note(0) == nil)
    server.editStreams(.output) { $0.properties["media.role"] = "phone" }
    let began = note(1)
    guard case .began(.call) = began else {
      Issue.record("\(began as Any)")
      return
    }
    try server.edit(.output, Server.speakers) { $0.state = .suspended }
    #expect(note(2) == nil)
    #expect(note(502) == nil)
    server.editStreams(.output) { $0.properties["media.role"] = nil }
    // A capture of another device continues.
    #expect(note(503) == .began(Self.reason))
    // Another call joins the device that is still suspended: it must not be recorded.
    server.editStreams(.output) { $0.properties["media.role"] = "phone" }
    #expect(note(504) == began)
    server.editStreams(.output) { $0.properties["media.role"] = nil }
    #expect(note(505) == .began(Self.reason))
    try server.edit(.output, Server.speakers) { $0.state = .running }
    #expect(note(506) == .ended)
  }

  @Test("of two suspended devices the input is named, and then the output, each once")
  func both() throws {
    var watch = InterruptionWatch()
    var server = Server.laptop()
    server.add(stream: "music", .output, on: Server.speakers)
    server.add(stream: "recorder", .input, on: Server.microphone)
    for direction in Direction.allCases { server.editStreams(direction) { $0.client = Index(1) } }
    func note(_ milliseconds: Int) -> InterruptionWatch.Change? {
      watch.note(
        server.snapshot, mode: AudioMode(category: .playAndRecord), process: 1,
        at: .milliseconds(milliseconds))
    }
    let input = InterruptionReason.deviceSuspended(Server.microphone)
    try server.edit(.output, Server.speakers) { $0.state = .suspended }
    #expect(note(0) == nil)
    #expect(note(500) == .began(Self.reason))
    try server.edit(.input, Server.microphone) { $0.state = .suspended }
    #expect(note(600) == nil)
    #expect(note(1100) == .began(input))
    #expect(note(1200) == nil)
    try server.edit(.input, Server.microphone) { $0.state = .running }
    #expect(note(1300) == .began(Self.reason))
    try server.edit(.output, Server.speakers) { $0.state = .running }
    #expect(note(1400) == .ended)
  }

  @Test("a server that is lost ends its calls and requests, but no take-over")
  func loss() {
    var watch = InterruptionWatch()
    var server = Server.laptop()
    server.add(stream: "ring", .output, on: Server.speakers)
    server.editStreams(.output) {
      $0.client = Index(1)
      $0.properties["media.role"] = "phone"
    }
    _ = watch.note(
      server.snapshot, mode: AudioMode(category: .playback), process: 1, at: .zero)
    _ = watch.begin(.corkRequest)
    #expect(watch.isInterrupted)
    let lost = watch.noteLoss()
    #expect(lost == .ended && !watch.mayBeInterrupted)
    _ = watch.begin(.takenOver(by: "watch"))
    let lostAgain = watch.noteLoss()
    #expect(lostAgain == nil && watch.isInterrupted)
  }
}
