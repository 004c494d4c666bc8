import AudioSession
import Pulse
import PulseTypes
import SessionCore

extension AudioCapture {
  /// Opens the first tap; in turn.
  func begin(_ configuration: CaptureConfiguration) async throws(StreamError) -> CaptureBuffers {
    await observeSession()
    let frames = Double(configuration.frameLength) / Double(configuration.sampleRate ?? 48_000)
    let queue = BufferQueue(limit: Int((configuration.backlog.seconds / frames).rounded(.up)))
    lastRun += 1
    run = Run(
      id: lastRun, configuration: configuration,
      pipeline: CapturePipeline(configuration, queue), queue: queue)
    do throws(StreamError) {
      try await openTap()
    } catch {
      queue.finish()
      run = nil
      throw error
    }
    return CaptureBuffers(queue: queue)
  }

  /// Ends a run: the tap, then the buffers.
  func end() async {
    guard let run else { return }
    run.retry?.cancel()
    await closeTap()
    run.pipeline.finish()
    self.run = nil
    set(.stopped)
    set(.ready)
  }

  /// Taps the input at its own format; in turn, and with no tap open.
  func openTap() async throws(StreamError) {
    guard let run else { return }
    let configuration = run.configuration
    try await checkInput(configuration)
    let tapID = run.tapID + 1
    self.run?.tapID = tapID
    let pipeline = run.pipeline
    let place = await session.place(.input)
    self.run?.place = place
    var wish = StreamWish(
      direction: .input, server: session.address, name: "Audio capture",
      device: configuration.device, latency: await latency(configuration),
      timeout: session.configuration.timeout)
    wish.take(place)
    let tap = try RealtimeStream(wish) { [weak self] signal in
      switch signal {
      case .ready(let grant): pipeline.begin(grant)
      case .sound(let chunk, let samples):
        guard pipeline.failure == nil else { return }
        pipeline.take(chunk, samples)
        guard let failure = pipeline.failure else { return }
        Task { await self?.conversionFailed(failure, tapID) }
      case .events(let events):
        if events.contains(.suspended) { pipeline.expectGap(.suspended) }
        if events.contains(.moved) { pipeline.expectGap(.routeChange) }
        guard events.contains(.moved) else { return }
        Task { await self?.tapMoved(tapID) }
      case .ended(let error?): Task { await self?.tapEnded(error, tapID) }
      case .ended(nil), .requested: break
      }
    }
    let grant: StreamGrant
    do throws(StreamError) {
      grant = try await tap.opened()
      if let failure = pipeline.failure { throw failure }
    } catch {
      await tap.close()
      throw error
    }
    self.run?.tap = tap
    self.run?.grant = grant
    self.run?.isWaiting = false
    emit(.tapped(sampleRate: grant.rate, channels: grant.channels))
    set(.streaming)
  }
}

extension AudioCapture {
  /// Ends the tap and waits for its threads.
  func closeTap() async {
    guard let tap = run?.tap else { return }
    await tap.close()
    run?.tap = nil
    run?.grant = nil
    statistics.add(tap.statistics)
  }

  /// Throws where there is no input, or only one that nobody asked for.
  private func checkInput(_ configuration: CaptureConfiguration) async throws(StreamError) {
    let snapshot = try await snapshot()
    if let name = configuration.device {
      guard snapshot.device(.input, named: name) == nil else { return }
      let names = snapshot.sources.map { "'\($0.name)'" }.joined(separator: ", ")
      throw StreamError(
        .deviceNotAvailable, "there is no input '\(name)'", details: "there are: \(names)")
    }
    let place = await session.place(.input)
    guard place.device == nil else { return }
    guard let device = snapshot.defaultDevice(.input) else {
      throw StreamError(.deviceNotAvailable, "this machine has no input")
    }
    guard await mayTap(device, configuration) else {
      throw StreamError(
        .deviceNotAvailable,
        "the only input is the monitor '\(device.name)', which hears what is played; name it in the "
          + "configuration or in the session's preferred input if that is meant")
    }
  }

  /// A monitor is an input only where somebody named it.
  private func mayTap(_ device: Device, _ configuration: CaptureConfiguration) async -> Bool {
    guard device.isMonitor, configuration.device == nil else { return true }
    return await session.wishInForce?.preferredInput?.isEmpty == false
  }

  private func latency(_ configuration: CaptureConfiguration) async -> Duration {
    if let latency = configuration.latency { return latency }
    guard let wish = await session.wishInForce, let buffer = wish.ioBufferDuration else {
      return .milliseconds(20)
    }
    return buffer.duration(atRate: wish.sampleRate ?? 48_000)
  }

  private func snapshot() async throws(StreamError) -> ServerSnapshot {
    do throws(SessionError) {
      return try await session.snapshot()
    } catch {
      let code: StreamError.Code =
        error.code == .accessDenied ? .permissionDenied : .sessionConfigFailed
      var failure = StreamError(code, "the session cannot be used", details: error.message)
      failure.isServerAway = [.serverUnreachable, .serverLost].contains(error.code)
      throw failure
    }
  }
}

// MARK: What a tap says, and what follows from it

extension AudioCapture {
  /// Whether what a tap said is still about something; in turn.
  private func isCurrent(_ tapID: UInt64) -> Bool { run?.tapID == tapID && run?.tap != nil }

  /// The tap is on another device: where that has another format, it is tapped anew.
  private func tapMoved(_ tapID: UInt64) async {
    await inTurn { capture in
      guard capture.isCurrent(tapID), let run = capture.run, let grant = run.grant,
        let tap = run.tap, let snapshot = try? await capture.snapshot(),
        let device = snapshot.device(.input, at: tap.device)
      else { return }
      let spec = device.sampleSpec
      let place = run.place
      let isSame =
        (place.rate != nil || Int(spec.rate) == grant.rate)
        && (place.channels != nil || Int(spec.channels) == grant.channels)
      if isSame, await capture.mayTap(device, run.configuration) { return }
      await capture.closeTap()
      run.pipeline.expectGap(.routeChange)
      await capture.tapAgain()
    }
  }

  /// The session has another mode: its streams may take another rate or other channels.
  private func modeChanged() async {
    await inTurn { capture in
      guard let run = capture.run, run.tap != nil, run.configuration.device == nil else { return }
      let place = await capture.session.place(.input)
      guard place.rate != run.place.rate || place.channels != run.place.channels else { return }
      await capture.closeTap()
      run.pipeline.expectGap(.routeChange)
      await capture.tapAgain()
    }
  }

  /// The tap ended by itself: the server went, or the device did and there is no other.
  private func tapEnded(_ error: StreamError, _ tapID: UInt64) async {
    await inTurn { capture in
      guard capture.isCurrent(tapID) else { return }
      await capture.closeTap()
      let isReset = error.code == .engineStartFailed
      capture.run?.pipeline.expectGap(isReset ? .serverReset : .routeChange)
      capture.interrupt(error)
    }
  }

  private func conversionFailed(_ error: StreamError, _ tapID: UInt64) async {
    await inTurn { capture in
      guard capture.isCurrent(tapID) else { return }
      await capture.closeTap()
      capture.run?.pipeline.finish()
      capture.run = nil
      capture.set(.failed)
      capture.emit(.error(error))
    }
  }

  /// Taps the input that there is now, or waits for one.
  private func tapAgain() async {
    do throws(StreamError) {
      try await openTap()
    } catch {
      interrupt(error)
    }
  }

  private func interrupt(_ error: StreamError) {
    emit(.error(error))
    set(.interrupted)
    waitForInput()
  }

  /// Tries to tap again until it works or is no longer wanted: after each change of the session's
  /// devices, and in between with growing pauses.
  private func waitForInput() {
    guard let id = run?.id else { return }
    run?.isWaiting = true
    run?.retry?.cancel()
    run?.retry = Task { [weak self] in
      var pause = Duration.milliseconds(10)
      while !Task.isCancelled, await self?.isWaitingForInput(id) == true {
        await self?.tryAgain()
        try? await Task.sleep(for: pause)
        pause = min(pause * 2, .milliseconds(500))
      }
    }
  }

  private func isWaitingForInput(_ id: UInt64) -> Bool { run?.id == id && run?.isWaiting == true }

  private func tryAgain() async {
    await inTurn { capture in
      guard capture.run?.isWaiting == true, capture.run?.tap == nil else { return }
      // The session makes its input first: a running tap would keep the rate from being set.
      guard await !capture.session.isHealing else { return }
      try? await capture.openTap()
    }
  }

  /// What the session says.
  func handle(_ event: SessionEvent) async {
    switch event {
    case .applied: await modeChanged()
    case .devicesChanged, .routeChanged, .reapplied, .serverReset: await tryAgain()
    case .interruptionBegan(let reason): await giveWay(reason)
    case .interruptionEnded(let shouldResume): await endInterruption(shouldResume)
    case .stopped: await stopAudioStream()
    default: break
    }
  }

  /// Something more important has the sound. A call is not listened to: the tap ends, as in a pause.
  /// A suspended device is waited for, and what is missing then is told.
  private func giveWay(_ reason: InterruptionReason) async {
    await inTurn { capture in
      guard capture.run?.tap != nil else { return }
      if case .deviceSuspended = reason { return capture.set(.interrupted) }
      await capture.closeTap()
      capture.run?.pipeline.pause()
      capture.set(.interrupted)
    }
  }

  private func endInterruption(_ shouldResume: Bool) async {
    await inTurn { capture in
      guard let run = capture.run, capture.status == .interrupted, !run.isWaiting else { return }
      if run.tap != nil { return capture.set(.streaming) }
      guard shouldResume else { return }
      run.pipeline.resume()
      await capture.tapAgain()
    }
  }
}
