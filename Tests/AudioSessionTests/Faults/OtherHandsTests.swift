import AudioSession
import Dispatch
import Glibc
import Pulse
import PulseSandbox
import PulseTypes
import SessionCore
import TestSupport
import Testing

@Suite("Other hands during an apply", .timeLimit(.minutes(10)))
struct OtherHandsTests {
  enum Conflict: CaseIterable, Sendable {
    case defaultSource, port, profile, volume, mute

    func setBack(_ client: PulseClient) async throws {
      switch self {
      case .defaultSource: try await client.setDefaultSource(Names.usbInput)
      case .port:
        try await client.setPort(
          .input, device: Names.laptopInput, port: "analog-input-linein")
      case .profile: try await client.setCardProfile(Names.laptop, "output:analog-stereo")
      case .volume:
        try await client.setVolume(
          .input, device: Names.laptopInput, ChannelVolumes(.norm, channels: 2))
      case .mute: try await client.setMute(.input, device: Names.laptopInput, true)
      }
    }
  }

  @Test(
    "somebody who sets it back at once: an error or the mode, in time", .simulatedCard,
    arguments: Conflict.allCases)
  func conflict(_ conflict: Conflict) async throws {
    let timeout = Duration.seconds(2)
    try await Rig.with(isHolding: false, timeout: timeout) { rig in
      try await rig.act(on: Names.laptop, "plug", "analog-input-linein")
      let foe = try await PulseClient.connect(to: rig.sandbox.address, name: "foe")
      try await foe.subscribe()
      let events = await foe.events()
      let acts = Shared(0)
      let competing = Task {
        for await event in events where event.facility != .client && event.kind != .remove {
          if (try? await conflict.setBack(foe)) != nil { acts.update { $0 += 1 } }
        }
      }
      let start = ContinuousClock.now
      var error: SessionError?
      do throws(SessionError) {
        try await rig.session.setAudioMode(.fullInternal)
      } catch let caught {
        error = caught
      }
      #expect(ContinuousClock.now - start < timeout + Rig.standstill)
      if let error {
        #expect([.refused, .timedOut, .portNotAvailable, .inputNotAvailable].contains(error.code))
        // Nothing was written where the time was over before that.
        #expect(
          error.restored == nil || error.message.contains("restored")
            || error.message.contains("former settings"))
      }
      await foe.close()
      await competing.value
      #expect(acts.value > 0 || error?.restored == nil && error != nil)
      let patient = Rig.session(rig.sandbox, isHolding: false)
      try await patient.setAudioMode(.fullInternal)
      #expect(try await patient.plan(for: .fullInternal).isEmpty)
      try await patient.revert()
      await patient.close()
      #expect(try await rig.outside.snapshot().chain.ownedDevices(.input).isEmpty)
    }
  }

  enum Hand: CaseIterable, Sendable {
    case removeInput, removeOther, unplug, plug, foreignDefault, foreignRemapUnload

    func act(_ client: PulseClient) async throws {
      func tell(_ card: String, _ message: String, _ parameter: String?) async throws {
        _ = try await client.sendMessage(
          to: "/card/\(card)/sim", message, parameter.map { "\"\($0)\"" })
      }
      switch self {
      case .removeInput: try await tell(Names.laptop, "remove", nil)
      case .removeOther: try await tell(Names.usbCard, "remove", nil)
      case .unplug: try await tell(Names.laptop, "unplug", "analog-input-headset-mic")
      case .plug: try await tell(Names.laptop, "plug", "analog-input-linein")
      case .foreignDefault: try await client.setDefaultSource(Names.usbInput)
      case .foreignRemapUnload:
        for device in try await client.snapshot().chain.ownedDevices(.input) {
          if let module = device.ownerModule { try await client.unloadModule(module) }
        }
      }
    }
  }

  @Test(
    "a hand before any request: the mode, or an error and nothing of ours left", .simulatedCard,
    arguments: Hand.allCases)
  func hands(_ hand: Hand) async throws {
    let acts = Shared(0)
    // Every day each request meets two of the six.
    let position = Hand.allCases.firstIndex(of: hand)!
    for number in 1...60 where EveryDay.has(number, position, part: 3) {
      var isOver = false
      try await Rig.with { rig in
        let outside = rig.outside
        // The session's thread waits until the hand has done its work.
        let wire = Tripwire {
          let done = DispatchSemaphore(value: 0)
          Task {
            if (try? await hand.act(outside)) != nil { acts.update { $0 += 1 } }
            done.signal()
          }
          done.wait()
        }
        try await rig.act(on: Names.laptop, "plug", "analog-input-headset-mic")
        let session = Rig.session(
          rig.sandbox, isHolding: false, timeout: .seconds(20), logger: wire.logger)
        _ = try await session.snapshot()
        wire.arm(number)
        do throws(SessionError) {
          let report = try await session.setAudioMode(.full)
          wire.arm(0)
          isOver = !wire.hasTripped
          // A hand that came after the last change is seen by the reading after that.
          let unmet = report.state.properties.values.filter {
            $0.preferred != nil && $0.verdict != .applied && $0.waitingFor != .holder
          }
          let plan = try await session.plan(for: .full)
          #expect(plan.isEmpty || !unmet.isEmpty, "\(number): \(plan.steps)")
        } catch {
          #expect(error.restored != false, "\(number): \(error)")
          #expect(error.code != .timedOut, "\(number): \(error)")
        }
        wire.arm(0)
        let report = try await session.revert()
        await session.close()
        let seen = try await rig.outside.snapshot()
        #expect(seen.chain.ownedDevices(.input).isEmpty, "\(number)")
        #expect(seen.sourceOutputs.isEmpty, "\(number): \(report.left)")
      }
      if isOver {
        #expect(number > 12, "an apply has more requests")
        #expect(acts.value > 2, "a hand that does nothing proves nothing")
        return
      }
    }
    Issue.record("an apply has more than 60 requests")
  }

  @Test(
    "devices that appear long after their profile are waited for", .bothServers,
    arguments: Feature.cards.machines)
  func profileDelay(on machine: Machine) async throws {
    try await Rig.with(machine.configuration) { rig in
      try await rig.setProfile("output:analog-stereo")
      let before = try await rig.listing()
      try await rig.act(on: Names.laptop, "profile-delay", "300")
      let report = try await rig.session.setAudioMode(.fullInternal)
      for (name, property) in report.state.properties where property.preferred != nil {
        #expect(property.verdict == .applied, "\(name): \(property)")
      }
      try await rig.session.revert()
      let after = try await rig.listing(expecting: before)
      #expect(after == before, "\(after.difference(from: before))")
    }
  }

  /// Like a machine that was asleep, or Ctrl-Z: all the time of the call has passed when it continues.
  @Test("a process that was stopped during an apply undoes it", .simulatedCard, arguments: [8, 12])
  func stopped(_ number: Int) async throws {
    try await Rig.with { rig in
      try await rig.act(on: Names.laptop, "plug", "analog-input-headset-mic")
      let before = try await rig.listing()
      let timeout = Duration.seconds(10)
      let wire = Tripwire { usleep(10_100_000) }
      let session = Rig.session(
        rig.sandbox, isHolding: false, timeout: timeout, logger: wire.logger)
      _ = try await session.snapshot()
      wire.arm(number)
      let error = await #expect(throws: SessionError.self) { try await session.setAudioMode(.full) }
      #expect(error?.code == .timedOut && error?.restored == true, "\(error as Any)")
      let after = try await rig.listing(expecting: before)
      #expect(after == before, "\(after.difference(from: before))")
      await session.close()
    }
  }

  @Test("a storm of events holds no apply up", .simulatedCard)
  func storm() async throws {
    try await Rig.with(timeout: .seconds(20)) { rig in
      // A client with shared memory that is never out of requests keeps the server to itself.
      let proxy = try Proxy(to: rig.sandbox.address)
      defer { proxy.end() }
      let storm = try await PulseClient.connect(to: proxy.address, name: "storm")
      let isOver = Shared(false)
      let storming = Task {
        while !isOver.value {
          try await withThrowingTaskGroup { group in
            for number in 0..<4 {
              group.addTask {
                let module = try await storm.loadModule(
                  "module-null-sink", "sink_name=storm\(number)", timeout: .seconds(20))
                try await storm.unloadModule(module, timeout: .seconds(20))
              }
            }
            try await group.waitForAll()
          }
        }
      }
      let watcher = try await PulseClient.connect(to: rig.sandbox.address, name: "watcher")
      try await watcher.subscribe()
      let events = await watcher.events(bufferingNewest: 1 << 20)
      let count = Shared(0)
      let counting = Task { for await _ in events { count.value += 1 } }
      repeat {
        try await rig.session.setAudioMode(.fullInternal)
        try await rig.session.revert()
      } while count.value < 500
      isOver.value = true
      try await storming.value
      await storm.close()
      await watcher.close()
      await counting.value
      #expect(try await rig.outside.snapshot().chain.ownedDevices(.input).isEmpty)
    }
  }
}
