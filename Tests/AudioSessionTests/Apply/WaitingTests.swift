import AudioSession
import Logging
import POSIX
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

/// A first apply that waits for what may pass by itself.
@Suite("An apply that waits", .server, .timeLimit(.minutes(10)))
struct WaitingTests {
  private static func mode(gain: Double) -> AudioMode {
    var mode = AudioMode()
    mode.category = .record
    mode.preferredInput = [.name("mic")]
    mode.inputGain = Volume(fraction: gain)
    return mode
  }

  @Test("a server that is not there yet is waited for, and a later call takes the place of one")
  func server() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let session = Rig.session(sandbox, timeout: .seconds(5))
      try await sandbox.terminate()
      await #expect(throws: SessionError.self) {
        try await session.setAudioMode(Self.mode(gain: 0.1))
      }
      let first = Task {
        try await session.setAudioMode(Self.mode(gain: 0.2), options: .waits)
      }
      // After the first one has failed.
      #expect(await eventually { await session.isPausing })
      let second = Task {
        try await session.setAudioMode(Self.mode(gain: 0.4), options: .waits)
      }
      let error = await #expect(throws: SessionError.self) { try await first.value }
      #expect(error?.code == .cancelled)
      try await sandbox.restart()
      let report = try await second.value
      #expect(report.unmet.isEmpty)
      let volume = try await session.snapshot().device(.input, named: "mic")?.volume
      #expect(volume?.loudest == Volume(fraction: 0.4))
      await session.close()
    }
  }

  /// What passes while it is waited for.
  enum Trouble: CaseIterable {
    case frozenServer, absentDevice, refusedProfile, otherHolder

    var code: SessionError.Code {
      switch self {
      case .frozenServer: .timedOut
      case .absentDevice: .inputNotAvailable
      case .refusedProfile: .refused
      case .otherHolder: .isBusy
      }
    }
  }

  @Test(
    "what passes by itself is waited for", .bothServers, arguments: Trouble.allCases,
    Feature.cards.machines)
  func passes(_ trouble: Trouble, on machine: Machine) async throws {
    try await Rig.with(machine.quiet) { rig in
      let sandbox = rig.sandbox
      let (failures, failure) = AsyncStream.makeStream(of: Void.self)
      let wire = Tripwire(counting: { $0.contains("trying again") }) { failure.finish() }
      let store = try #require(sandbox.environment["XDG_STATE_HOME"]) + "/audiosession"
      func session(_ logger: Logger? = nil) -> AudioSession {
        AudioSession(
          server: sandbox.address,
          configuration: SessionConfiguration(
            timeout: .seconds(trouble == .frozenServer ? 1 : 20), storeFolder: store, logger: logger
          ))
      }
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name(Names.usbInput)]
      let wanted = mode
      var holder: Task<Void, any Error>?
      switch trouble {
      case .frozenServer: try await sandbox.freeze()
      case .absentDevice: try await sandbox.unplug(Names.usbCard)
      case .refusedProfile:
        try await rig.setProfile("off", of: Names.usbCard)
        try await rig.act(on: Names.usbCard, "fail-profile", "input:analog-stereo")
      case .otherHolder:
        let said = sandbox.directory + "/said"
        let profile = try rig.write("other.toml", "[output]\nvolume = \"40 %\"\n")
        holder = Task {
          _ = try await sandbox.capture(
            ["sh", "-c", "exec $0 watch $1 > $2", builtProgram, profile, said],
            timeout: .seconds(100))
        }
        #expect(await eventually { File.text(said).contains("applied") })
      }
      // Without waiting it is an error; with it, the same error is only logged.
      let first = session()
      if trouble != .refusedProfile {
        let error = await #expect(throws: SessionError.self) {
          try await first.setAudioMode(wanted)
        }
        #expect(error?.code == trouble.code, "\(error as Any)")
      }
      await first.close()
      wire.arm(1)
      let waiting = session(wire.logger)
      let applying = Task { try await waiting.setAudioMode(wanted, options: .waits) }
      for await _ in failures {}
      switch trouble {
      case .frozenServer: try await sandbox.thaw()
      case .absentDevice: try await sandbox.plug(Names.usbCard)
      case .refusedProfile: break
      case .otherHolder: holder?.cancel()
      }
      let report = try await applying.value
      #expect(report.unmet.isEmpty)
      #expect(report.state.properties[.preferredInput]?.verdict == .applied)
      _ = try? await holder?.value
      await waiting.close()
    }
  }

  enum End: CaseIterable { case close, laterCall, cancellation }

  @Test(
    "its pause ends at once: by close, by a later call, by cancellation", arguments: End.allCases)
  func pause(_ end: End) async throws {
    // One that does not end takes 5 s each time.
    for number in 1...3 {
      noteTry(number, of: 3)
      let time = try await timeToEnd(end)
      if time < .milliseconds(4500) { return }
      #expect(number < 3, "\(time)")
    }
  }

  /// How long a pause of 5 s lasts.
  private func timeToEnd(_ end: End) async throws -> Duration {
    try await PulseSandbox.with(.minimal) { sandbox in
      let (pauses, pause) = AsyncStream.makeStream(of: Void.self)
      let wire = Tripwire(counting: { $0.contains("trying again") }) { pause.finish() }
      let session = Rig.session(sandbox, timeout: .seconds(5), logger: wire.logger)
      try await sandbox.terminate()
      // The fifth pause takes 5 s.
      wire.arm(5)
      let waiting = Task {
        try await session.setAudioMode(Self.mode(gain: 0.2), options: .waits)
      }
      for await _ in pauses {}
      let clock = ContinuousClock()
      let start = clock.now
      switch end {
      case .close: await session.close()
      case .laterCall: _ = try? await session.revert()
      case .cancellation: waiting.cancel()
      }
      let error = await #expect(throws: SessionError.self) { try await waiting.value }
      #expect(error?.code == .cancelled)
      let time = clock.now - start
      await session.close()
      return time
    }
  }

  @Test("cancelling the task ends the wait")
  func cancelled() async throws {
    try await PulseSandbox.with(.minimal) { sandbox in
      let session = Rig.session(sandbox, timeout: .seconds(5))
      try await sandbox.terminate()
      let waiting = Task { try await session.setAudioMode(Self.mode(gain: 0.2), options: .waits) }
      waiting.cancel()
      let error = await #expect(throws: SessionError.self) { try await waiting.value }
      #expect(error?.code == .cancelled)
      await session.close()
    }
  }
}
