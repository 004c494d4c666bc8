import AudioSession
import Glibc
import Pulse
import PulseSandbox
import SessionCore
import TestSupport
import Testing

/// A fault before each request of an apply, one private server a fault. The requests are dealt to a
/// few test cases, lest sixty servers at once make an overloaded machine the fault.
@Suite("A server that fails in the middle", .timeLimit(.minutes(10)))
struct FaultTests {
  /// Something that stands before the apply that fails.
  private static var first: AudioMode {
    var mode = AudioMode(category: .record)
    mode.preferredInput = [.name(Names.usbInput)]
    mode.inputGain = Volume(fraction: 0.5)
    mode.channelMap = .swap
    return mode
  }

  private static let timeout = Duration.milliseconds(1000)
  private static let last = 120
  private static let stripes = 6

  /// What a fault at one request is to be followed by.
  struct Case {
    let number: Int
    let rig: Rig
    let session: AudioSession
    let before: Listing

    /// Whether an apply comes before the revert, or the revert is all.
    var appliesAgain: Bool { number % 2 == 0 }
  }

  /// Applies with a fault before each request in turn, until an apply has no such request, whether its
  /// session holds or not. Every day a request meets one of the two faults, in a holder or a command.
  private func each(
    from first: Int, signal: Int32, _ body: (Case, SessionError) async throws -> Void
  ) async throws {
    for number in stride(from: first, through: Self.last, by: Self.stripes)
    where EveryDay.has(number / 4, signal == SIGSTOP ? 0 : 1, part: 2) {
      var isMet = false
      for isHolding in [number / 2 % 2 == 0, number / 2 % 2 != 0]
      where !isMet || EveryDay.isThorough {
        var outcome = Outcome.machineTooSlow
        for attempt in 1...30 where outcome == .machineTooSlow {
          noteTry(attempt, of: 30)
          outcome = try await fault(at: number, signal, isHolding, body)
        }
        try #require(outcome != .machineTooSlow, "\(number)")
        isMet = isMet || outcome == .met
      }
      if !isMet {
        #expect(number > 12, "an apply has more requests")
        return
      }
    }
    Issue.record("an apply has more than \(Self.last) requests")
  }

  private enum Outcome { case met, noSuchRequest, machineTooSlow }

  private func fault(
    at number: Int, _ signal: Int32, _ isHolding: Bool,
    _ body: (Case, SessionError) async throws -> Void
  ) async throws -> Outcome {
    var outcome = Outcome.machineTooSlow
    try await Rig.with { rig in
      let before = try await rig.listing()
      let wire = try await Tripwire.signalling(signal, rig.sandbox)
      let session = Rig.session(
        rig.sandbox, isHolding: isHolding, timeout: Self.timeout, logger: wire.logger)
      try await patiently { () throws(SessionError) in
        try await session.setAudioMode(Self.first)
      }
      wire.arm(number)
      let start = ContinuousClock.now
      do throws(SessionError) {
        try await session.setAudioMode(.fullInternal)
        wire.arm(0)
        outcome = .noSuchRequest
      } catch {
        wire.arm(0)
        if wire.hasTripped {
          #expect(ContinuousClock.now - start < Self.timeout + Rig.standstill)
          #expect(error.restored != true, "\(number): \(error)")
          try await body(
            Case(number: number, rig: rig, session: session, before: before), error)
          outcome = .met
        }
      }
      await session.close()
    }
    return outcome
  }

  @Test(
    "frozen: an error in time; thawed, what was still carried out is undone", .simulatedCard,
    arguments: 1...stripes)
  func frozen(from first: Int) async throws {
    try await each(from: first, signal: SIGSTOP) { fault, error in
      #expect(error.code == .timedOut, "\(fault.number): \(error)")
      try await fault.rig.sandbox.thaw()
      if fault.appliesAgain {
        try await patiently { () throws(SessionError) in
          try await fault.session.setAudioMode(.fullInternal)
        }
        let plan = try await patiently { () throws(SessionError) in
          try await fault.session.plan(for: .fullInternal)
        }
        #expect(plan.isEmpty)
        #expect(try await fault.rig.outside.snapshot().chain.ownedDevices(.input).count == 1)
      }
      try await patiently { () throws(SessionError) in
        try await fault.session.revert()
      }
      let after = try await fault.rig.listing()
      #expect(
        after == fault.before, "\(fault.number): \(after.difference(from: fault.before))")
    }
  }

  @Test(
    "killed: an error in time; afterwards apply converges and revert restores", .simulatedCard,
    arguments: 1...stripes)
  func killed(from first: Int) async throws {
    try await each(from: first, signal: SIGKILL) { fault, error in
      #expect(
        [.serverLost, .serverUnreachable, .timedOut].contains(error.code),
        "\(fault.number): \(error)")
      try await fault.rig.sandbox.restart()
      if fault.appliesAgain {
        try await patiently { () throws(SessionError) in
          try await fault.session.setAudioMode(.fullInternal)
        }
        let plan = try await patiently { () throws(SessionError) in
          try await fault.session.plan(for: .fullInternal)
        }
        #expect(plan.isEmpty)
        let seen = try await patiently { () throws(SessionError) in
          try await fault.session.snapshot()
        }
        #expect(seen.chain.ownedDevices(.input).count == 1)
      }
      try await patiently { () throws(SessionError) in
        try await fault.session.revert()
      }
      let outside = try await PulseClient.connect(to: fault.rig.sandbox.address, name: "outside")
      let after = Listing(try await outside.snapshot())
      #expect(
        after == fault.before, "\(fault.number): \(after.difference(from: fault.before))")
      await outside.close()
    }
  }
}
