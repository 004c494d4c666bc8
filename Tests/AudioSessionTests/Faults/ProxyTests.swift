import AudioSession
import Glibc
import POSIX
import Pulse
import PulseSandbox
import TestSupport
import Testing

/// A link to the server that is slow, breaks, refuses, loses, or is full (the page
/// "Fault matrix").
@Suite("A bad link to the server", .server, .timeLimit(.minutes(10)))
struct ProxyTests {
  /// How many replies are passed over from one fault to the next; every one by hand:
  /// AUDIOSESSION_FAULT_STEP=1.
  private static let step =
    ProcessEnvironment["AUDIOSESSION_FAULT_STEP"].flatMap { Int($0) } ?? 4
  private static let last = 200

  private static var mode: AudioMode {
    var mode = AudioMode(category: .record)
    mode.preferredInput = [.name("mic")]
    mode.channelMap = .swap
    mode.inputGain = Volume(fraction: 0.5)
    mode.ioBufferDuration = .milliseconds(20)
    return mode
  }

  /// `PA_ERR_ACCESS`, as of a server that has taken a permission away.
  private static let denied: UInt32 = 1

  private struct Link {
    let rig: Rig
    let proxy: Proxy
    var session: AudioSession
    let before: Listing

    /// Waits until the fault has happened.
    func hasStruck() async -> Bool {
      let deadline = ContinuousClock.now + .seconds(30)
      while !proxy.hasStruck, ContinuousClock.now < deadline {
        try? await Task.sleep(for: .milliseconds(2))
      }
      return proxy.hasStruck
    }

    /// Whether the session's remap is the default again, as an outsider sees it.
    func isHealed() async throws -> Bool {
      try await rig.eventually(within: .seconds(30)) {
        $0.server.defaultSourceName == "audiosession.input"
      }
    }
  }

  /// A session behind a proxy; the rig's own client is not.
  private func withLink(
    timeout: Duration, on kind: ServerKind = .pulseaudio, _ body: (Link) async throws -> Void
  ) async throws {
    try await Rig.with(.minimal(on: kind)) { rig in
      let before = try await rig.listing()
      let proxy = try Proxy(to: rig.sandbox.address)
      defer { proxy.end() }
      let session = AudioSession(
        server: proxy.address,
        configuration: SessionConfiguration(
          timeout: timeout, storeFolder: rig.sandbox.directory + "/proxied"))
      try await body(Link(rig: rig, proxy: proxy, session: session, before: before))
      await session.close()
    }
  }

  /// After a fault: all as preference, once, then all as before.
  ///
  /// - Parameter isAnother: by another session. One to whom nothing comes any more has a connection
  ///   that looks alive, and one that may load no modules does not ask for one again.
  private func expectConverges(
    _ link: Link, _ note: String, isAnother: Bool = false
  ) async throws {
    link.proxy.behave()
    var link = link
    if isAnother {
      await link.session.close()
      link.session = AudioSession(
        server: link.proxy.address,
        configuration: SessionConfiguration(
          timeout: .seconds(20), storeFolder: link.rig.sandbox.directory + "/proxied"))
    }
    defer { if isAnother { Task { [session = link.session] in await session.close() } } }
    var plan: Plan?
    // A hint that an overloaded machine did not grant in time is no error, and is asked for again.
    for number in 1...10 where plan?.isEmpty != true {
      noteTry(number, of: 10)
      try await patiently([.timedOut, .serverLost]) { () throws(SessionError) in
        try await link.session.setAudioMode(Self.mode)
      }
      plan = try? await link.session.plan(for: Self.mode)
    }
    #expect(plan?.isEmpty == true, "\(note): \(plan as Any)")
    let seen = try await link.rig.snapshot { $0.chain.ownedDevices(.input).count == 1 }
    #expect(seen.chain.ownedDevices(.input).count == 1, "\(note)")
    try await patiently([.timedOut, .serverLost]) { () throws(SessionError) in
      try await link.session.revert()
    }
    let after = try await link.rig.listing(expecting: link.before)
    #expect(after == link.before, "\(note): \(after.difference(from: link.before))")
  }

  @Test(
    "at any reply of an apply: a clear error in time; afterwards it converges and reverts",
    arguments: [Proxy.Fate.cut, .refused(denied), .lost], 0..<3)
  func applying(_ fate: Proxy.Fate, _ part: Int) async throws {
    var number = 1 + part * Self.step
    var isMet = true
    while isMet {
      #expect(number < Self.last)
      try await withLink(timeout: .seconds(2)) { link in
        _ = try? await link.session.snapshot()
        link.proxy.strike(fate, at: number)
        let start = ContinuousClock.now
        do throws(SessionError) {
          try await link.session.setAudioMode(Self.mode)
          isMet = link.proxy.hasStruck
        } catch {
          #expect(ContinuousClock.now - start < .seconds(2) + Rig.standstill, "\(fate) \(number)")
          let codes: Set<SessionError.Code> =
            fate == .refused(Self.denied)
            ? [.accessDenied, .refused, .timedOut] : [.serverLost, .serverUnreachable, .timedOut]
          #expect(
            codes.contains(error.code) || !link.proxy.hasStruck, "\(fate) \(number): \(error)")
          #expect(!error.message.isEmpty)
        }
        try await expectConverges(link, "\(fate) \(number)", isAnother: fate != .cut)
      }
      number += 3 * Self.step
    }
    #expect(number - 3 * Self.step > 12, "an apply has more replies")
  }

  @Test(
    "while a session holds: the mode is kept",
    arguments: [Proxy.Fate.cut, .refused(denied)])
  func holding(_ fate: Proxy.Fate) async throws {
    try await withLink(timeout: .seconds(2)) { link in
      try await patiently([.timedOut, .serverLost]) { () throws(SessionError) in
        try await link.session.setAudioMode(Self.mode)
      }
      link.proxy.strike(fate)
      // The answer to what the event asks for is the one that fails.
      try await link.rig.outside.setDefaultSource("mic")
      #expect(await link.hasStruck())
      link.proxy.behave()
      #expect(try await link.isHealed())
      #expect(try await link.rig.outside.snapshot().chain.ownedDevices(.input).count == 1)
      try await expectConverges(link, "\(fate)", isAnother: fate != .cut)
    }
  }

  @Test(
    "a connection that looks alive and is not: a clear error in time, then another connection")
  func silent() async throws {
    try await withLink(timeout: .seconds(2)) { link in
      try await patiently([.timedOut, .serverLost]) { () throws(SessionError) in
        try await link.session.setAudioMode(Self.mode)
      }
      link.proxy.strike(.lost)
      let begin = ContinuousClock.now
      try await link.rig.outside.setDefaultSource("mic")
      #expect(await link.hasStruck())
      let start = ContinuousClock.now
      var error: SessionError?
      do throws(SessionError) {
        _ = try await link.session.getSessionState()
      } catch let caught {
        error = caught
      }
      // A call that a busy machine makes later may find that the session has noticed it by itself.
      #expect(error?.code == .timedOut || error == nil && start - begin > .seconds(1))
      #expect(ContinuousClock.now - start < .seconds(2) + Rig.standstill)
      link.proxy.behave()
      #expect(try await link.isHealed())
      try await expectConverges(link, "silent")
    }
  }

  @Test("slow: an apply takes its time, and a limit that is shorter holds")
  func slow() async throws {
    try await withLink(timeout: .seconds(30)) { link in
      link.proxy.strike(.late(milliseconds: 15))
      try await link.session.setAudioMode(Self.mode)
      #expect(link.proxy.hasStruck)
      let state = try await link.session.getSessionState()
      #expect(state.properties[.channelMap]?.verdict == .applied)
      try await link.session.revert()
      #expect(try await link.rig.listing() == link.before)
    }
  }

  /// An apply that takes five seconds, ten times what a slow machine needs, and the limits that it has.
  @Test(
    "so slow that an apply takes 5 s: it is applied, or a time-out that says what it waited for",
    .bothServers, arguments: [30, 3, 1.5, 0.5], [ServerKind.pulseaudio, .pipewire])
  func tenTimesSlower(limit: Double, kind: ServerKind) async throws {
    try await withLink(timeout: .seconds(30), on: kind) { link in
      var replies = Int.max
      // The first apply waits for devices that have just come up, and a busy machine for PipeWire: they need
      // more of them.
      for _ in 1...3 {
        let before = link.proxy.replies
        try await link.session.setAudioMode(Self.mode)
        replies = min(replies, link.proxy.replies - before)
        try await link.session.revert()
      }
      let session = AudioSession(
        server: link.proxy.address,
        configuration: SessionConfiguration(
          timeout: .seconds(limit), storeFolder: link.rig.sandbox.directory + "/proxied"))
      await link.session.close()
      var link = link
      link.session = session
      link.proxy.strike(.late(milliseconds: UInt32(6000 / replies)))
      let start = ContinuousClock.now
      do throws(SessionError) {
        let report = try await session.setAudioMode(Self.mode)
        #expect(ContinuousClock.now - start > .seconds(3))
        #expect(limit > 4, "applied in \(ContinuousClock.now - start)")
        #expect(report.unmet.isEmpty, "\(report.unmet)")
        #expect(report.state.properties[.channelMap]?.verdict == .applied)
      } catch {
        #expect(limit < 4)
        #expect(error.code == .timedOut, "\(error)")
        #expect(
          ["timed out waiting for", "timed out, because the steps before it"].contains {
            error.message.contains($0)
          }, "\(error)")
        #expect(ContinuousClock.now - start < .seconds(limit) + Rig.standstill)
      }
      try await expectConverges(link, "\(limit) s", isAnother: true)
    }
  }

  @Test("a program behind a link too slow for its limit says so, and applies once it is faster")
  func slowProgram() async throws {
    try await withLink(timeout: .seconds(20)) { link in
      let folder = link.rig.sandbox.directory
      let profile = try link.rig.write("slow.toml", "[input]\ngain = \"40 %\"\n")
      link.proxy.strike(.late(milliseconds: 300))
      let script = """
        $0 watch \(profile) --server \(link.proxy.address) --timeout 1s > \(folder)/said 2> \(folder)/failed &
        until grep -q applied \(folder)/said; do kill -0 $! || exit 9; sleep 0.02; done
        kill $!; wait $!
        """
      let watch = Task { [sandbox = link.rig.sandbox] in
        try await sandbox.capture(["sh", "-c", script, builtProgram], timeout: .seconds(60))
      }
      func says(_ text: String) async -> Bool {
        await TestSupport.eventually { File.text(folder + "/failed").contains(text) }
      }
      #expect(await says("timed out"))
      #expect(await says("trying again until it works"))
      link.proxy.behave()
      let result = try await watch.value
      #expect(result.status == 143, "\(result), \(File.text(folder + "/failed"))")
    }
  }

  @Test("slow while a session holds: what others change is put back all the same")
  func slowHolding() async throws {
    try await withLink(timeout: .seconds(10)) { link in
      try await link.session.setAudioMode(Self.mode)
      link.proxy.strike(.late(milliseconds: 15))
      try await link.rig.outside.setDefaultSource("mic")
      #expect(try await link.isHealed())
      #expect(link.proxy.hasStruck)
      try await expectConverges(link, "slow")
    }
  }

  @Test("full: nobody reads what is sent; every request ends, and it goes on afterwards")
  func full() async throws {
    try await withLink(timeout: .seconds(2)) { link in
      let client = try await PulseClient.connect(to: link.proxy.address, name: "talker")
      link.proxy.stopReading()
      // More than the socket's buffer takes.
      await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<2000 {
          group.addTask {
            do throws(PulseError) {
              _ = try await client.serverInfo(timeout: .seconds(1))
              return false
            } catch { return error.code == .timedOut }
          }
        }
        // One was being read.
        #expect(await group.reduce(0) { $0 + ($1 ? 1 : 0) } >= 1999)
      }
      let error = await #expect(throws: SessionError.self) {
        try await link.session.setAudioMode(Self.mode)
      }
      #expect(error?.code == .timedOut || error?.code == .serverUnreachable)
      #expect(try await link.rig.listing() == link.before)
      link.proxy.behave()
      _ = try await client.serverInfo(timeout: .seconds(20))
      await client.close()
      try await expectConverges(link, "full")
    }
  }

  @Test("full in the middle of an apply, and while a session holds")
  func fullWhileBusy() async throws {
    try await withLink(timeout: .seconds(2)) { link in
      try await patiently([.timedOut, .serverLost]) { () throws(SessionError) in
        try await link.session.setAudioMode(Self.mode)
      }
      link.proxy.stopReading()
      var other = Self.mode
      other.inputGain = Volume(fraction: 0.3)
      let changed = other
      let error = await #expect(throws: SessionError.self) {
        try await link.session.setAudioMode(changed)
      }
      #expect(error?.code == .timedOut)
      link.proxy.behave()
      try await link.rig.outside.setDefaultSource("mic")
      #expect(try await link.isHealed())
      try await expectConverges(link, "full")
    }
  }
}
