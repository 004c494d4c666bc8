import AudioSession
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import SessionCore

@Suite("Between processes", .timeLimit(.minutes(10)))
struct StoreTests {
  @Test(
    "a later session shows what an earlier one preferred", .bothServers,
    arguments: Feature.store.servers)
  func laterState(on kind: ServerKind) async throws {
    try await Rig.with(.minimal(on: kind), isHolding: false) { rig in
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
      #expect(state.properties[.inputGain]?.verdict == .applied)
      #expect(state.properties[.ioBufferDuration]?.waitingFor == .holder)
      #expect(state.properties[.ioBufferDuration]?.held == false)
      try await later.revert()
      #expect(try await later.getSessionState().properties[.inputGain]?.verdict == .unset)
      await later.close()
      let seen = try await rig.snapshot {
        $0.device(.input, named: "mic")?.volume.isUniformly(.norm) == true
      }
      #expect(seen.device(.input, named: "mic")?.volume.isUniformly(.norm) == true)
    }
  }

  @Test("the stored mode is known without a server", .bothServers, arguments: Feature.store.servers)
  func withoutServer(on kind: ServerKind) async throws {
    try await Rig.with(.minimal(on: kind), isHolding: false) { rig in
      var mode = AudioMode(category: .record)
      mode.inputGain = Volume(fraction: 0.5)
      try await rig.session.setAudioMode(mode, profile: "mine")
      try await rig.sandbox.kill()
      let later = Rig.session(rig.sandbox)
      let error = await #expect(throws: SessionError.self) { try await later.getSessionState() }
      #expect(error?.code == .serverUnreachable)
      let state = await later.storedState()
      #expect(state.server == nil)
      #expect(state.profile == "mine")
      #expect(state.properties[.inputGain]?.preferred == .number(0.5))
      #expect(state.properties[.inputGain]?.verdict == .pending)
      await later.close()
    }
  }

  @Test("before any apply every verdict is unset", .bothServers, arguments: Feature.store.servers)
  func nothing(on kind: ServerKind) async throws {
    try await Rig.with(.minimal(on: kind)) { rig in
      let state = try await rig.session.getSessionState()
      #expect(state.properties.values.allSatisfy { $0.verdict == .unset })
      #expect(Set(state.properties.keys) == Set(Property.reported))
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
      func isHealed(to gain: Double) async throws -> Bool {
        let theirs = ChannelVolumes(Volume(fraction: 0.9), channels: 2)
        try await rig.outside.setVolume(.input, device: "mic", theirs)
        return try await rig.eventually {
          $0.device(.input, named: "mic")?.volume.isUniformly(Volume(fraction: gain)) == true
        }
      }
      #expect(try await isHealed(to: 0.4))
      await rig.session.close()
      #expect(try await isHealed(to: 0.4))
      #expect(try await second.getSessionState().holder != nil)
      // What the one that holds is asked for later counts for the next, too.
      let third = Rig.session(rig.sandbox)
      try await third.setAudioMode(mode)
      mode.inputGain = Volume(fraction: 0.6)
      try await second.setAudioMode(mode)
      await second.close()
      #expect(try await isHealed(to: 0.6))
      #expect(try await third.getSessionState().holder != nil)
      await third.close()
    }
  }

  @Test(
    "several modes at once end as the last, and steps never interleave", .bothServers,
    arguments: Feature.store.servers)
  func atOnce(on kind: ServerKind) async throws {
    try await Rig.with(.minimal(on: kind)) { rig in
      try await withThrowingTaskGroup { group in
        for percent in 1...20 {
          var mode = AudioMode(category: .record)
          mode.inputGain = Volume(fraction: Double(percent) / 100)
          group.addTask { try await rig.session.setAudioMode(mode) }
        }
        try await group.waitForAll()
      }
      let state = try await rig.session.getSessionState()
      #expect(state.properties[.inputGain]?.verdict == .applied)
      func gain(_ snapshot: ServerSnapshot) -> StateValue? {
        snapshot.device(.input, named: "mic").map {
          .number(($0.volume.loudest.fraction * 10_000).rounded() / 10_000)
        }
      }
      let actual = try #require(state.properties[.inputGain]?.actual)
      let seen = try await rig.snapshot { gain($0) == actual }
      #expect(gain(seen) == actual)
    }
  }

  @Test("update changes some of the mode", .bothServers, arguments: Feature.store.servers)
  func update(on kind: ServerKind) async throws {
    try await Rig.with(.minimal(on: kind)) { rig in
      try await rig.session.setAudioMode(AudioMode(category: .record))
      let report = try await rig.session.update { $0.inputGain = Volume(fraction: 0.4) }
      #expect(report.state.properties[.category]?.verdict == .applied)
      #expect(report.state.properties[.inputGain]?.actual == .number(0.4))
    }
  }

  @Test(
    "leftovers of a crashed run are adopted, never duplicated", .bothServers,
    arguments: Feature.channels.machines)
  func leftovers(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(machine.usbInput)]
      mode.channelMap = .swap
      let leftover = RemapSpec(
        direction: .input, master: machine.usbInput,
        masterMap: ChannelMap([.frontRight, .frontLeft]),
        map: .stereo)
      _ = try await rig.outside.loadModule(
        RemapSpec.moduleName(.input), leftover.moduleArgument)
      #expect(try await rig.eventually { $0.chain.remap(.input) == leftover })
      let report = try await rig.session.setAudioMode(mode)
      #expect(!report.steps.contains { $0.step.setting == .chain(.input) })
      #expect(try await rig.session.snapshot().chain.ownedDevices(.input).count == 1)
      mode.channelMap = nil
      try await rig.session.setAudioMode(mode)
      #expect(try await rig.session.snapshot().chain.ownedDevices(.input).isEmpty)
    }
  }
}
