import AudioSession
import PulseTypes
import SessionCore

extension AudioCapture {
  /// Opens the first tap; call it in turn.
  func begin(_ configuration: CaptureConfiguration) async throws(StreamError) -> CaptureBuffers {
    // The highest rate, until the device's is known.
    let queue = BufferQueue(limit: configuration.mostBuffers(atRate: 192_000))
    lastRun += 1
    failure = nil
    run = Run(
      id: lastRun, configuration: configuration,
      pipeline: CapturePipeline(configuration, queue), queue: queue)
    observeSession(lastRun)
    do throws(StreamError) {
      try await openFirstTap(configuration)
    } catch {
      guard await mayBegin(without: error, configuration) else {
        queue.finish()
        run = nil
        ignoreSession()
        throw error
      }
      interrupt(error)
    }
    let lease = BufferLease(queue) { [weak self, lastRun] in
      Task { await self?.endRun(lastRun) }
    }
    return CaptureBuffers(lease: lease)
  }

  /// During a call it is opened at the call's end.
  private func openFirstTap(_ configuration: CaptureConfiguration) async throws(StreamError) {
    try await checkInput(configuration)
    guard await session.mustGiveWay else { return try await openTap() }
    if configuration.needsInput { try await expectFormat(configuration) }
    await giveWay()
  }

  /// Takes the format from the input's own, without a tap.
  private func expectFormat(_ configuration: CaptureConfiguration) async throws(StreamError) {
    let place = await session.place(.input)
    let request = await request(configuration, place)
    let snapshot = try await snapshot()
    let named = request.device.flatMap { snapshot.device(.input, named: $0) }
    guard let device = named ?? snapshot.defaultDevice(.input) else {
      throw StreamError(.deviceNotAvailable, "this machine has no input")
    }
    try run?.pipeline.prepare(
      rate: request.rate ?? Int(device.sampleSpec.rate),
      channels: request.channels ?? Int(device.sampleSpec.channels),
      (request.isFixed ? nil : place.presented) ?? device.channelMap)
  }

  private func request(
    _ configuration: CaptureConfiguration, _ place: StreamPlace
  ) async -> StreamRequest {
    var request = StreamRequest(
      direction: .input, server: session.address, name: "Audio capture",
      device: configuration.device, latency: await latency(configuration),
      timeout: session.configuration.timeout)
    request.take(place)
    request.staysPut = configuration.device != nil
    return request
  }

  /// Ends a run whose reader has left, or whose session was closed.
  func endRun(_ id: UInt64) async {
    guard run?.id == id else { return }
    await takeTurnFromReactions()
    defer { turns.pass() }
    if run?.id == id { await end() }
  }

  /// Ends a run: the tap, then the buffers.
  func end() async {
    guard let run else { return }
    run.retry?.cancel()
    // Without the rest nothing is passed on after this.
    if run.configuration.includesRest { await judgeNow() }
    await closeTap()
    run.pipeline.finish(
      isAway: run.isWaiting || run.awaySince != nil, at: HostClock.nanoseconds)
    failure = run.pipeline.report.failure
    self.run = nil
    set(.stopped)
    set(.ready)
    ignoreSession()
  }

  /// Opens a tap on the input in its own format; call it in turn, without an open tap.
  func openTap() async throws(StreamError) {
    guard let run else { return }
    let configuration = try await followed(run)
    let expected = try await checkInput(configuration)
    lastTap += 1
    let tapID = lastTap
    self.run?.tapID = tapID
    let pipeline = run.pipeline
    let place = await session.place(.input)
    self.run?.place = place
    var request = await request(configuration, place)
    request.formerMap = pipeline.report.channelMap
    let presented = request.isFixed ? nil : place.presented
    let losesSilently = try await snapshot().has(.silentLoss)
    let tap = try RealtimeStream(request) { [weak self] signal in
      switch signal {
      case .ready(let grant):
        // Another one may have become the default.
        let isSure = expected == nil || grant.device == expected
        pipeline.begin(grant, as: presented, losesSilently: losesSilently, isSure: isSure)
      case .sound(let chunk, let samples):
        guard pipeline.report.failure == nil else { return }
        pipeline.take(chunk, samples)
        for zeros in pipeline.report.takeFound() { self?.judgeLater(zeros, tapID) }
        guard let failure = pipeline.report.failure else { return }
        Task { await self?.conversionFailed(failure, tapID) }
      case .events(let events):
        if events.contains(.suspended) { pipeline.noteSuspend() }
        if events.contains(.resumed) { pipeline.noteResume() }
        if events.contains(.moved) { pipeline.noteMove() }
        guard events.contains(.moved) else { return }
        Task { await self?.tapMoved(tapID) }
      case .ended(let error?): Task { await self?.tapEnded(error, tapID) }
      case .ended(nil), .requested: break
      }
    }
    let grant: StreamGrant
    do throws(StreamError) {
      grant = try await tap.opened()
      if let failure = pipeline.report.failure ?? pipeline.report.unfit { throw failure }
    } catch {
      await tap.close()
      throw error
    }
    if let rate = pipeline.report.format?.sampleRate {
      run.queue.limit = configuration.mostBuffers(atRate: rate)
    }
    self.run?.tap = tap
    self.run?.grant = grant
    self.run?.isWaiting = false
    self.run?.awaySince = nil
    self.run?.serverAwaySince = nil
    // An input that takes another's place may deliver nothing either.
    if run.tapID > 0 { noteSilence(since: pipeline.pulse.began) }
    self.run?.watches = [watchDelivery(tapID, pipeline.pulse)]
    if losesSilently { self.run?.watches.append(watchLife(tapID, request, pipeline.pulse)) }
    emit(.tapped(sampleRate: grant.rate, channels: grant.channels))
    noteInput(grant.device)
    set(.streaming)
    if configuration.device == nil, place.device == nil { checkDevice(of: tapID) }
  }
}

extension AudioCapture {
  /// Ends the tap and waits for its threads.
  func closeTap() async {
    guard let tap = run?.tap else { return }
    for watch in run?.watches ?? [] { watch.cancel() }
    run?.watches = []
    await tap.close()
    run?.tap = nil
    run?.grant = nil
    statistics.add(tap.statistics)
  }
}
