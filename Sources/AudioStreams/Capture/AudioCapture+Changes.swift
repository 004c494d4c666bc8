import AudioSession
import PulseTypes
package import SessionCore

/// How a capture reacts to events of its tap and of its session.
extension AudioCapture {
  /// Whether the tap that reported something is still the current one. Call it in turn.
  func isCurrent(_ tapID: UInt64) -> Bool { run?.tapID == tapID && run?.tap != nil }

  /// The server moved the tap to another device. If that device has another format, the tap is
  /// closed and opened again.
  func tapMoved(_ tapID: UInt64) async {
    // In turn: it may still be opened.
    await react { capture in capture.look(at: tapID) { await $0.follow(tapID) } }
  }

  private func follow(_ tapID: UInt64) async {
    await react { capture in
      guard capture.isCurrent(tapID), let run = capture.run, let grant = run.grant,
        let tap = run.tap
      else { return }
      let moves = run.pipeline.report.moves
      guard let snapshot = try? await capture.snapshot(),
        let device = snapshot.device(.input, at: tap.device)
      else {
        return capture.look(at: tapID, after: .milliseconds(250)) { await $0.follow(tapID) }
      }
      let spec = device.sampleSpec
      // A device that has none of the channels taken of the former one gives silence.
      let place = await capture.session.place(.input)
      let isSame =
        place.hasFormat(of: run.place) && (place.rate != nil || Int(spec.rate) == grant.rate)
        && (place.channels != nil || Int(spec.channels) == grant.channels)
      let configuration = (try? await capture.followed(run)) ?? run.configuration
      if await capture.mayTap(device, configuration) {
        run.pipeline.report.allow(device.name, after: moves)
        if isSame {
          capture.noteInput(device.name)
          return await capture.judgeSuspension()
        }
      }
      await capture.tapAgain(after: .routeChange)
      await capture.judgeSuspension()
    }
  }

  /// Looks at a tap once the server answers. Not in turn until then: a stop need not wait for the answer.
  private func look(
    at tapID: UInt64, after pause: Duration = .zero,
    _ check: @escaping @Sendable (AudioCapture) async -> Void
  ) {
    Task { [weak self, session] in
      var pause = pause
      while await self?.isCurrent(tapID) == true {
        if pause > .zero { try? await session.sleep(until: .now + pause) }
        pause = .milliseconds(250)
        guard (try? await session.snapshot()) != nil else { continue }
        if let self { await check(self) }
        return
      }
    }
  }

  /// Makes sure that a new tap is not on a monitor that became the default while it was opened: the last
  /// other input was unplugged before the server made the stream, and there is no event of a move.
  func checkDevice(of tapID: UInt64) {
    look(at: tapID) { await $0.endOnMonitor(tapID) }
  }

  private func endOnMonitor(_ tapID: UInt64) async {
    await react { capture in
      guard capture.isCurrent(tapID), let run = capture.run, let tap = run.tap else { return }
      let moves = run.pipeline.report.moves
      guard let snapshot = try? await capture.snapshot(),
        let device = snapshot.device(.input, at: tap.device),
        let configuration = try? await capture.followed(run)
      else {
        return capture.look(at: tapID, after: .milliseconds(250)) { await $0.endOnMonitor(tapID) }
      }
      // A person may have chosen another one for this stream.
      let isDefault = snapshot.defaultDevice(.input)?.index == device.index
      let mayTap = await capture.mayTap(device, configuration)
      guard isDefault, !mayTap else {
        return run.pipeline.report.allow(device.name, after: moves)
      }
      await capture.tapAgain(after: .routeChange)
    }
  }

  /// The session has another mode, or none any more, and so its streams may have another place.
  func modeChanged(_ id: UInt64) async {
    await react(in: id) { capture in
      guard let run = capture.run, let tap = run.tap, run.configuration.device == nil,
        await !capture.session.isClosed
      else { return }
      let place = await capture.session.place(.input)
      let isSame =
        place.hasFormat(of: run.place) && place.isOwn == run.place.isOwn
        && place.role == run.place.role
      if isSame, await capture.isPlaced(tap, run.place.device, place.device) { return }
      await capture.tapAgain(after: .routeChange)
    }
  }

  /// Whether a tap that was opened on one device, or on the default, is where it would be opened now. The
  /// session moves it between the devices that it prefers.
  private func isPlaced(_ tap: RealtimeStream, _ former: String?, _ device: String?) async -> Bool {
    if device == former { return true }
    guard let device, let snapshot = try? await snapshot() else { return false }
    // Its own connection may be told of a move later than the session's is.
    let listed = snapshot.sourceOutputs.first { $0.index == tap.index }?.device ?? tap.device
    return snapshot.device(.input, at: listed)?.name == device
  }

  /// The tap ended by itself: the connection was lost, or its device was removed without a
  /// successor.
  func tapEnded(_ error: StreamError, _ tapID: UInt64) async {
    await react { capture in
      guard capture.isCurrent(tapID) else { return }
      await capture.closeTap()
      let isReset = error.code == .engineStartFailed && !error.isWrongRate
      capture.run?.pipeline.expectGap(isReset ? .serverReset : .routeChange)
      capture.interrupt(error)
    }
  }

  func conversionFailed(_ error: StreamError, _ tapID: UInt64) async {
    await react { capture in
      guard capture.isCurrent(tapID) else { return }
      await capture.closeTap()
      capture.fail(error)
    }
  }

  /// Ends the run: its sound cannot be converted any more, from whichever input.
  func fail(_ error: StreamError) {
    run?.retry?.cancel()
    run?.pipeline.finish(isAway: false, at: HostClock.nanoseconds)
    run = nil
    failure = error
    set(.failed)
    emit(.error(error))
    ignoreSession()
  }

  /// Whether something has begun that the capture is silent for; not a call during which it was resumed.
  private var mustGiveWay: Bool {
    get async { await session.mustGiveWay && run?.recordsCall != true }
  }

  /// Opens another tap in place of the one that is open; call it in turn.
  func tapAgain(after cause: MissingFrames.Cause) async {
    await closeTap()
    run?.pipeline.expectGap(cause)
    await tapAgain()
  }

  /// Opens a tap on the current input, unless a call has begun; waits for an input if that fails.
  func tapAgain() async {
    guard await !mustGiveWay else { return await giveWay() }
    do throws(StreamError) {
      try await openTap()
    } catch {
      if let failure = run?.pipeline.report.failure { return fail(failure) }
      interrupt(error)
    }
  }

  /// Waits for an input or the server.
  func interrupt(_ error: StreamError) {
    let time = HostClock.nanoseconds
    // A stop or a pause follows a cancellation.
    if !error.isCancelled { emit(.error(error)) }
    set(.interrupted)
    if run?.awaySince == nil { run?.awaySince = .now }
    noteSilence(since: time)
    noteServer(error)
    run?.pipeline.noteAway(
      run?.serverAwaySince == nil ? .routeChange : .serverReset, at: time)
    waitForInput()
  }

  /// Notes whether a failed tap shows that no server answers.
  private func noteServer(_ error: StreamError) {
    noteServer(isAway: error.isServerAway || error.isTimedOut)
  }

  func noteServer(isAway: Bool) {
    let since = isAway ? serverAwaySince ?? .now : nil
    run?.serverAwaySince = since
  }

  /// Retries until a tap opens or is no longer wanted: after each change of the session's devices,
  /// and in between with growing pauses.
  func waitForInput() {
    guard let id = run?.id else { return }
    run?.isWaiting = true
    run?.retry?.cancel()
    run?.retry = Task { [weak self, session] in
      var pause = Duration.milliseconds(10)
      while !Task.isCancelled, await self?.isWaitingForInput(id) == true {
        await self?.tryAgain(id)
        try? await session.sleep(until: .now + pause)
        pause = min(pause * 2, .milliseconds(500))
      }
    }
  }

  private func isWaitingForInput(_ id: UInt64) -> Bool { run?.id == id && run?.isWaiting == true }

  private func tryAgain(_ id: UInt64) async {
    await react(in: id) { capture in
      guard capture.run?.isWaiting == true, capture.run?.tap == nil else { return }
      // The session sets up its input first: a running tap would prevent the change of the rate.
      guard await !capture.session.isHealing else {
        return capture.noteServer(isAway: await !capture.session.isConnected)
      }
      guard await !capture.mustGiveWay else { return await capture.giveWay() }
      do throws(StreamError) {
        try await capture.openTap()
      } catch {
        if let failure = capture.run?.pipeline.report.failure { return capture.fail(failure) }
        capture.noteServer(error)
      }
    }
  }

  /// Ends a tap that stays on a device which is gone.
  private func endLostTap(_ id: UInt64) async {
    await react(in: id) { capture in
      guard let run = capture.run, let tap = run.tap, let name = run.grant?.device,
        run.configuration.device != nil, run.input == name,
        let snapshot = try? await capture.snapshot(), tap.isLost(in: snapshot)
      else { return }
      await capture.closeTap()
      capture.run?.pipeline.expectGap(.routeChange)
      capture.interrupt(StreamError(.deviceNotAvailable, "'\(name)' was removed"))
    }
  }

  func handle(_ event: SessionEvent, in id: UInt64) async {
    switch event {
    case .applied: await modeChanged(id)
    case .serverLost: await serverLost(id)
    case .devicesChanged, .routeChanged, .reapplied, .serverReset:
      if case .serverReset = event { await serverReset(id) }
      await endLostTap(id)
      await tryAgain(id)
    case .interruptionBegan(let reason): await giveWay(reason, id)
    case .interruptionEnded(let shouldResume):
      await react(in: id) { await $0.continueAgain(shouldResume) }
    case .stopped: await endRun(id)
    default: break
    }
  }

  /// Whether an interruption of the session interrupts the capture. A suspended device does only
  /// if the sound comes from it.
  package func isInterrupted(by reason: InterruptionReason) async -> Bool {
    guard case .deviceSuspended(let name) = reason else { return true }
    guard let input = run?.input, let snapshot = try? await snapshot(),
      let device = snapshot.device(.input, named: input)
    else { return false }
    return (snapshot.chain.root(of: device) ?? device).name == name
  }

  /// Ends the tap while something more important has the sound: a call must not be recorded. A
  /// suspended device keeps its tap; its missing time is reported when it resumes.
  private func giveWay(_ reason: InterruptionReason, _ id: UInt64) async {
    if case .deviceSuspended = reason {
      return await react(in: id) { await $0.judgeSuspension() }
    }
    await react(in: id) { capture in
      guard let run = capture.run, run.tap != nil || run.isWaiting else { return }
      await capture.giveWay()
    }
  }

  /// Ends the tap, or opens none, until the interruption ends; call it in turn.
  func giveWay() async {
    guard let run else { return }
    let hadMode = await session.modeInEffect != nil
    self.run?.hadMode = hadMode
    // Nor when an input appears during the call.
    run.retry?.cancel()
    self.run?.isWaiting = false
    self.run?.serverAwaySince = nil
    self.run?.recordsCall = false
    await closeTap()
    // What was away before the call is away until its return.
    if run.awaySince == nil {
      self.run?.silentSince = nil
      run.pipeline.pause(isAway: false, at: HostClock.nanoseconds)
    } else {
      run.pipeline.flush()
    }
    set(.interrupted)
  }

  /// If a suspended device is all that interrupts the session now, and is not the capture's, the call that closed
  /// the tap has ended.
  private func judgeSuspension() async {
    guard let reason = await session.interruption, case .deviceSuspended = reason else { return }
    if await isInterrupted(by: reason) {
      if run?.tap != nil { set(.interrupted) }
    } else {
      await continueAgain(await session.modeInEffect != nil)
    }
  }

  /// Whether something more important has the sound, and the tap is closed for it.
  var hasGivenWay: Bool {
    guard let run else { return false }
    return run.tap == nil && !run.isWaiting && status == .interrupted
  }

  /// The server is lost during an interruption. A session that holds reports its end only when the
  /// server is back: until then the capture is away, and a recording ends in time.
  private func serverLost(_ id: UInt64) async {
    await react(in: id) { capture in
      guard capture.hasGivenWay, await capture.session.isHealing else { return }
      let time = HostClock.nanoseconds
      let now = SuspendingClock.now
      capture.run?.serverAwaySince = now
      guard capture.run?.awaySince == nil else { return }
      capture.run?.awaySince = now
      capture.noteSilence(since: time)
      capture.run?.pipeline.noteAway(.serverReset, at: time)
    }
  }

  /// The server is back; the interruption ends now, or continues.
  private func serverReset(_ id: UInt64) async {
    await react(in: id) { capture in
      guard capture.hasGivenWay, let run = capture.run, let since = run.serverAwaySince else {
        return
      }
      capture.run?.serverAwaySince = nil
      guard run.awaySince == since else { return }
      capture.run?.awaySince = nil
      capture.run?.silentSince = nil
      run.pipeline.pause(isAway: true, at: HostClock.nanoseconds)
    }
  }

  /// Nothing interrupts the capture any more; call it in turn.
  private func continueAgain(_ shouldResume: Bool) async {
    self.run?.recordsCall = false
    guard let run, status == .interrupted, !run.isWaiting else { return }
    if run.tap != nil {
      // A device that delivers nothing stays interrupted until it does.
      if run.awaySince == nil { set(.streaming) }
      return
    }
    // A mode that ended meanwhile leaves nothing to resume; without one, nothing has ended. What
    // waited for its input before waits again.
    guard shouldResume || !run.hadMode || run.awaySince != nil else {
      return run.configuration.endsWithMode ? fail(.inactive) : ()
    }
    // If the input was away before, the time until its return counts as missing.
    if run.awaySince == nil { run.pipeline.resume() }
    await tapAgain()
  }
}
