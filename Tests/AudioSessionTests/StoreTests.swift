import AudioSession
import Pulse
import PulseSandbox
import Testing

@Suite("Between processes")
struct StoreTests {
  @Test("a later session shows what an earlier one wished", .server)
  func laterState() async throws {
    try await Rig.with(.minimal, isHolding: false) { rig in
      var mode = AudioMode(category: .record)
      mode.inputGain = Volume(fraction: 0.5)
      mode.ioBufferDuration = .milliseconds(10)
      try await rig.session.setAudioMode(mode, profile: "mine")
      await rig.session.close()
      let later = Rig.session(rig.sandbox, isHolding: false)
      let state = try await later.getSessionState()
      #expect(state.profile == "mine")
      #expect(state.active)
      #expect(state.holder == nil)
      #expect(state.resets == nil)
      #expect(state.properties["inputGain"]?.verdict == .applied)
      #expect(state.properties["ioBufferDuration"]?.waitingFor == .holder)
      #expect(state.properties["ioBufferDuration"]?.held == false)
      try await later.revert()
      #expect(try await later.getSessionState().properties["inputGain"]?.verdict == .unset)
      await later.close()
      #expect(try await rig.outside.source(named: "mic")?.volume.isUniformly(.norm) == true)
    }
  }

  @Test("the stored wish is known without a server", .server)
  func withoutServer() async throws {
    try await Rig.with(.minimal, isHolding: false) { rig in
      var mode = AudioMode(category: .record)
      mode.inputGain = Volume(fraction: 0.5)
      try await rig.session.setAudioMode(mode, profile: "mine")
      try await rig.sandbox.kill()
      let later = Rig.session(rig.sandbox)
      let error = await #expect(throws: SessionError.self) { try await later.getSessionState() }
      #expect(error?.code == .serverUnreachable)
      let state = try await later.storedState()
      #expect(state.server == nil)
      #expect(state.profile == "mine")
      #expect(state.properties["inputGain"]?.preferred == .number(0.5))
      #expect(state.properties["inputGain"]?.verdict == .pending)
      await later.close()
    }
  }

  @Test("before any apply every verdict is unset", .server)
  func nothing() async throws {
    try await Rig.with(.minimal) { rig in
      let state = try await rig.session.getSessionState()
      #expect(state.properties.values.allSatisfy { $0.verdict == .unset })
      #expect(state.properties.keys.sorted() == SessionState.propertyNames.sorted())
    }
  }

  @Test("sessions of one process share a holder, and the next takes its place", .server)
  func shared() async throws {
    try await Rig.with(.minimal) { rig in
      var mode = AudioMode()
      mode.preferredInput = [.name("mic")]
      mode.inputGain = Volume(fraction: 0.4)
      mode.gainLock = true
      try await rig.session.setAudioMode(AudioMode(category: .record))
      let second = Rig.session(rig.sandbox)
      #expect(try await second.setAudioMode(mode).state.holder != nil)
      func isHealed() async throws -> Bool {
        let theirs = ChannelVolumes(Volume(fraction: 0.9), channels: 2)
        try await rig.outside.setVolume(.input, device: "mic", theirs)
        return try await rig.eventually {
          $0.device(.input, named: "mic")?.volume.isUniformly(Volume(fraction: 0.4)) == true
        }
      }
      #expect(try await isHealed())
      await rig.session.close()
      #expect(try await isHealed())
      #expect(try await second.getSessionState().holder != nil)
      await second.close()
    }
  }

  @Test("several modes at once end as the last, and steps never interleave", .server)
  func atOnce() async throws {
    try await Rig.with(.minimal) { rig in
      try await withThrowingTaskGroup { group in
        for percent in 1...20 {
          var mode = AudioMode(category: .record)
          mode.inputGain = Volume(fraction: Double(percent) / 100)
          group.addTask { try await rig.session.setAudioMode(mode) }
        }
        try await group.waitForAll()
      }
      let state = try await rig.session.getSessionState()
      #expect(state.properties["inputGain"]?.verdict == .applied)
      let source = try await rig.outside.source(named: "mic")
      let fraction = try #require(source?.volume.loudest.fraction)
      #expect(
        state.properties["inputGain"]?.actual == .number((fraction * 10_000).rounded() / 10_000))
    }
  }

  @Test("update changes some of the wish", .server)
  func update() async throws {
    try await Rig.with(.minimal) { rig in
      try await rig.session.setAudioMode(AudioMode(category: .record))
      let report = try await rig.session.update { $0.inputGain = Volume(fraction: 0.4) }
      #expect(report.state.properties["category"]?.verdict == .applied)
      #expect(report.state.properties["inputGain"]?.actual == .number(0.4))
    }
  }

  @Test("leftovers of a crashed run are adopted, never duplicated", .simulatedCard)
  func leftovers() async throws {
    try await Rig.with { rig in
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(Names.usbInput)]
      mode.channelMap = .swap
      let leftover = RemapSpec(
        direction: .input, master: Names.usbInput,
        masterMap: ChannelMap([.frontRight, .frontLeft]),
        map: .stereo)
      _ = try await rig.outside.loadModule(leftover.moduleName, leftover.moduleArgument)
      let report = try await rig.session.setAudioMode(mode)
      #expect(!report.steps.contains { $0.step.setting == .chain(.input) })
      #expect(try await rig.session.snapshot().ownedDevices(.input).count == 1)
      mode.channelMap = nil
      try await rig.session.setAudioMode(mode)
      #expect(try await rig.session.snapshot().ownedDevices(.input).isEmpty)
    }
  }
}
