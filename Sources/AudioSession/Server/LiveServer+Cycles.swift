import Pulse
import PulseTypes
import SessionCore

/// The buffer that PipeWire's graph runs with. No device reports it, but a stream that runs shows it: its
/// position grows by one buffer at a time. So it is seen while a pin runs, whoever forces it.
extension LiveServer {
  /// Runs the stream that forces a buffer, and measures what the graph then has. Where it does not run in
  /// time nothing is known. The pin runs on until the pins are tended.
  func awaitCycle(_ setting: Setting, deadline: Deadline) async {
    guard quanta[setting] != nil, let pin = pins[runner(setting)] else { return }
    // What follows needs time, too.
    let end = Deadline(after: min(deadline.remaining / 2, .seconds(3)))
    if await pin.isCorked {
      try? await pin.cork(false, timeout: min(end.remaining, .seconds(1)))
      mark(.stream(pin.direction, pin.index))
    }
    // A device may take a while to start.
    while await !pin.isCorked, !end.hasPassed {
      _ = await measureCycle(setting, deadline: end)
      // The route does not wait for a device that has gone.
      guard cycles[setting] == nil, (try? await refresh(deadline: end)) != nil,
        await !hasEnded(pin, of: setting),
        (try? await client.loop.sleep(until: .now + .milliseconds(30))) != nil
      else { return }
    }
  }

  /// Measures the buffers that are not known to be as asked for, before a plan in which they must be.
  func awaitUnseenCycles(deadline: Deadline) async {
    guard snapshot.has(.unreportedBuffer) else { return }
    for setting in pins.keys where quanta[setting] != nil {
      if await !hasCycleAsAsked(setting) { await awaitCycle(setting, deadline: deadline) }
    }
  }

  /// Measures the buffers of the pins that run; true if one is another than before.
  ///
  /// One at a time; what is asked for in the meantime is measured afterwards.
  func findsOtherCycles() async -> Bool {
    guard snapshot.has(.unreportedBuffer), !quanta.isEmpty else { return false }
    cycleRequests += 1
    guard cycleRequests == 1 else { return false }
    defer { cycleRequests = 0 }
    while true {
      cycleRequests = 1
      var findsOther = false
      for setting in pins.keys
      where await measureCycle(setting, deadline: Deadline(after: .seconds(30))) {
        findsOther = true
      }
      if findsOther { return true }
      // While others change the server all the time, a few times a second are enough.
      guard cycleRequests > 1,
        (try? await client.loop.sleep(until: .now + .milliseconds(250))) != nil
      else { return false }
    }
  }

  /// Measures the buffer under a pin that runs; true if it is another than before. Without an answer in time
  /// the former one counts.
  ///
  /// The graph may have its former buffer for a moment: one that was not asked for is measured twice.
  private func measureCycle(_ setting: Setting, deadline: Deadline) async -> Bool {
    var last = cycles[setting]
    for _ in 0..<4 {
      guard let own = pins[setting], let pin = pins[runner(setting)],
        let frames = quanta[setting], let asked = await askedCycle(setting), await !pin.isCorked,
        let rate = await pin.sampleSpec.map({ Int($0.rate) })
      else { return false }
      var meter = CycleMeter(rate: rate, expected: asked)
      await measure(pin, &meter, deadline: deadline)
      // The pin may have been replaced in the meantime.
      guard let cycle = meter.cycle, pins[setting] === own, pins[runner(setting)] === pin,
        quanta[setting] == frames
      else { return false }
      if meter.isSingle && !meter.differs(cycle, asked) || !meter.differs(cycle, last) {
        guard meter.differs(cycle, cycles[setting]) else { return false }
        cycles[setting] = cycle
        return true
      }
      last = cycle
      guard (try? await client.loop.sleep(until: .now + .milliseconds(30))) != nil else { break }
    }
    return false
  }

  private func measure(
    _ pin: PulseStream, _ meter: inout CycleMeter, deadline: Deadline
  ) async {
    let start = ContinuousClock.now
    while meter.isWorthwhile(after: start.duration(to: .now)), !deadline.hasPassed,
      await !pin.isCorked
    {
      let asked = start.duration(to: .now)
      guard let position = try? await pin.position(timeout: min(deadline.remaining, .seconds(1)))
      else { return }
      meter.note(position, asked: asked, answered: start.duration(to: .now))
      guard meter.cycle == nil,
        (try? await client.loop.sleep(until: .now + meter.pause)) != nil
      else { return }
    }
  }

  /// The buffer that a pin asks for, counted in the frames of the stream that forces it.
  private func askedCycle(_ setting: Setting) async -> Duration? {
    guard let frames = quanta[setting].flatMap({ Int($0) }),
      let rate = await pins[runner(setting)]?.sampleSpec?.rate
    else { return nil }
    return Graph.duration(frames: frames, rate: Int(rate))
  }

  private func hasCycleAsAsked(_ setting: Setting) async -> Bool {
    guard let cycle = cycles[setting], let asked = await askedCycle(setting) else { return false }
    // Positions are counted in whole frames.
    let grain = Duration.microseconds(100)
    return cycle > asked - grain && cycle < asked + grain
  }

  /// The latency that a pin was granted; on PipeWire the buffer that the graph has, or had when the pin last
  /// ran. What another one forced then may be over by now.
  func granted(_ setting: Setting) async -> Duration? {
    guard snapshot.has(.unreportedBuffer) else { return await pins[setting]?.grantedLatency }
    if await pins[runner(setting)]?.isCorked == false { return cycles[setting] }
    return await hasCycleAsAsked(setting) ? cycles[setting] : nil
  }
}
