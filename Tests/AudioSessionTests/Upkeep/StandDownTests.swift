import AudioSession
import Glibc
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@Suite("The end of a mode wins", .timeLimit(.minutes(10)))
struct StandDownTests {
  private static var mode: AudioMode {
    var mode = AudioMode()
    mode.category = .record
    mode.preferredInput = [.name("mic")]
    mode.inputGain = Volume(fraction: 0.5)
    return mode
  }

  static let servers: [ServerKind] = [.pulseaudio, .pipewire]

  @Test(
    "deactivating without a server throws, and nothing is applied again", .bothServers,
    arguments: servers)
  func deadServer(_ server: ServerKind) async throws {
    try await PulseSandbox.with(.minimal(on: server)) { sandbox in
      let session = Rig.session(sandbox, timeout: .seconds(5))
      let before = try #require(try await session.snapshot().device(.input, named: "mic")).volume
      try await patiently { () throws(SessionError) in try await session.setAudioMode(Self.mode) }
      var events = session.events.makeAsyncIterator()
      try await sandbox.kill()
      while let event = await events.next(), event != .serverLost {}
      await #expect {
        try await session.setActive(false)
      } throws: { error in
        guard let error = error as? SessionError else { return false }
        return [.serverUnreachable, .serverLost, .timedOut].contains(error.code)
          && error.message.hasSuffix(
            "; the session is inactive now, and the former settings are restored as soon as the "
              + "server answers")
      }
      try await sandbox.restart()
      while let event = await events.next() {
        #expect(event != .applied)
        if case .serverReset = event { break }
      }
      #expect(try await session.getSessionState().active == false)
      #expect(try await session.snapshot().device(.input, named: "mic")?.volume == before)
      // The mode is kept for later.
      let report = try await session.setActive(true)
      #expect(report.state.active)
      await session.close()
    }
  }

  @Test(
    "what a hung server keeps is restored once it answers, though nothing else happens", .server)
  func hungServer() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let outside = try await Rig.client(of: sandbox, "outside")
      let session = Rig.session(sandbox, timeout: .seconds(2))
      let before = try await outside.source(named: "mic")?.volume
      try await patiently { () throws(SessionError) in try await session.setAudioMode(Self.mode) }
      #expect(try await outside.source(named: "mic")?.volume != before)
      try await sandbox.freeze()
      await #expect(throws: SessionError.self) { try await session.setActive(false) }
      try await sandbox.thaw()
      #expect(try await eventually { try await outside.source(named: "mic")?.volume == before })
      await session.close()
      await outside.close()
    }
  }

  @Test("a mode ends although upkeep waits for a server that hangs", .server)
  func hungUpkeep() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let outside = try await Rig.client(of: sandbox, "outside")
      let wire = try await Tripwire.signalling(SIGSTOP, sandbox)
      let session = Rig.session(sandbox, timeout: .seconds(5), logger: wire.logger)
      let before = try await outside.source(named: "mic")?.volume
      try await patiently { () throws(SessionError) in
        try await session.setAudioMode(Self.mode)
      }
      // The server hangs before the first request of the next look.
      wire.arm(1)
      let change = Task { try await outside.setDefaultSource("speakers.monitor") }
      #expect(await eventually { wire.hasTripped })
      #expect(await session.hasTurn)
      let error = await #expect(throws: SessionError.self) {
        try await session.setActive(false)
      }
      #expect(
        error?.message.hasSuffix(
          "; the session is inactive now, and the former settings are restored as soon as the "
            + "server answers") == true, "\(error as Any)")
      try await sandbox.thaw()
      _ = try? await change.value
      #expect(try await eventually { try await outside.source(named: "mic")?.volume == before })
      await session.close()
      await outside.close()
    }
  }

  @Test("the session that a process shares is opened again by the next call", .server)
  func reopened() async throws {
    #expect(AudioSession.shared.configuration.reopens)
    try await PulseSandbox.with(.minimal) { sandbox in
      var configuration = SessionConfiguration(storeFolder: sandbox.directory + "/store")
      configuration.reopens = true
      let shared = AudioSession(server: sandbox.address, configuration: configuration)
      for _ in 0..<3 {
        try await shared.setAudioMode(Self.mode)
        #expect(try await shared.getSessionState().active)
        await shared.close()
      }
      #expect(try await shared.snapshot().device(.input, named: "mic") != nil)
      try await shared.revert()
      await shared.close()
      // What another program applied meanwhile is what it holds then.
      try await shared.setAudioMode(Self.mode)
      await shared.close()
      let other = AudioSession(
        server: sandbox.address,
        configuration: SessionConfiguration(
          storeFolder: sandbox.directory + "/store", isHolding: false))
      var theirs = Self.mode
      theirs.inputGain = Volume(fraction: 0.3)
      try await other.setAudioMode(theirs)
      #expect(try await shared.hold().state.properties[.inputGain]?.preferred == .number(0.3))
      try await other.revert()
      #expect(try await !shared.getSessionState().active)
      await shared.close()
      await other.close()
      // After a mode of one program it is the server's session that is held.
      var own = Self.mode
      (own.scope, own.inputGain) = (.application, nil)
      try await shared.setAudioMode(own)
      try await shared.revert()
      let held = try await shared.hold()
      #expect(held.state.scope == .server && held.state.holder?.pid == getpid())
      await shared.close()
      // Any other stays closed.
      configuration.reopens = false
      let third = AudioSession(server: sandbox.address, configuration: configuration)
      await third.close()
      await #expect(throws: SessionError.self) { try await third.snapshot() }
    }
  }

  @Test(
    "a mode ends although a profile is refused; the rest is restored, and the profile later",
    .bothServers, arguments: Feature.cards.machines)
  func refusedRestore(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      let (former, gain) = ("output:analog-stereo", Volume(fraction: 0.8))
      try await rig.setProfile(former)
      let before = try await rig.listing()
      try await rig.session.setAudioMode(.fullInternal)
      #expect(
        try await rig.eventually {
          $0.card(named: Names.laptop)?.activeProfile != former
            && $0.device(.input, named: machine.laptopInput)?.volume.loudest == gain
        })
      try await rig.act(on: Names.laptop, "fail-profile", former)
      let report = try await rig.session.setActive(false)
      let left = try #require(report.left.first { $0.contains("profile") }, "\(report.left)")
      #expect(left.hasSuffix("it is restored by the next 'revert'"))
      #expect(try await rig.session.getSessionState().active == false)
      #expect(
        try await rig.eventually {
          $0.device(.input, named: machine.laptopInput)?.volume.loudest != gain
        })
      #expect(try await rig.session.revert().left == [])
      #expect(try await rig.listing(expecting: before) == before)
    }
  }

  @Test(
    "a mode takes effect although a profile of the one before is refused; it is restored later",
    .bothServers, arguments: Feature.cards.machines)
  func refusedFormer(on machine: Machine) async throws {
    try await Rig.with(machine.configuration, isHolding: false) { rig in
      let former = "output:analog-stereo"
      try await rig.setProfile(former)
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(machine.laptopInput)]
      try await rig.session.setAudioMode(mode)
      #expect(
        try await rig.eventually { $0.card(named: Names.laptop)?.activeProfile != former })
      try await rig.act(on: Names.laptop, "fail-profile", former)
      mode.preferredInput = [.name(machine.usbInput)]
      var report = try await rig.session.setAudioMode(mode)
      #expect(report.state.properties[.preferredInput]?.verdict == .applied)
      let left = try #require(report.left.first { $0.contains("profile") }, "\(report.left)")
      #expect(left.hasSuffix("it is restored by the next 'apply' or 'revert'"))
      report = try await rig.session.setAudioMode(mode)
      #expect(report.left == [])
      #expect(
        try await rig.eventually { $0.card(named: Names.laptop)?.activeProfile == former })
    }
  }

  @Test("a holder does not apply a mode that has ended", .server)
  func endedBefore() async throws {
    try await Rig.with(.minimal) { rig in
      let before = try await rig.listing()
      #expect(try await rig.session.setAudioMode(Self.mode).state.holder != nil)
      // It has given the session back.
      #expect(try await rig.session.setActive(false).state.holder == nil)
      await rig.session.close()
      let next = Rig.session(rig.sandbox)
      let report = try await next.hold()
      #expect(!report.state.active && report.steps == [])
      #expect(try await rig.listing() == before)
      // It is kept: nothing else is known of the mode.
      #expect(try await next.setActive(true).state.active)
      try await next.revert()
      await next.close()
    }
  }

  @Test("a holder that adopts the stored mode unmutes no input; an apply does", .server)
  func adoptsMuted() async throws {
    try await Rig.with(.minimal) { rig in
      var mode = Self.mode
      mode.inputMuted = false
      try await rig.session.setAudioMode(mode)
      await rig.session.close()
      try await rig.outside.setMute(.input, device: "mic", true)
      // The start of a service, its reload, and another session of its process.
      let (first, second) = (Rig.session(rig.sandbox), Rig.session(rig.sandbox))
      for session in [first, first, second] {
        let report = try await session.hold()
        #expect(report.state.active)
        #expect(report.state.properties[.inputMuted]?.verdict == .overridden)
        #expect(try await rig.outside.source(named: "mic")?.isMuted == true)
      }
      try await first.setAudioMode(mode)
      #expect(try await rig.outside.source(named: "mic")?.isMuted == false)
      await second.close()
      await first.close()
    }
  }
}
