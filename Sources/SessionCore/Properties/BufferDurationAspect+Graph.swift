import PulseTypes

/// The buffer of PipeWire's graph, which all devices share and none reports.
extension BufferDurationAspect {
  /// Whether a session of one program requests the buffer only through that program's streams: on
  /// PipeWire a pin would force it on all programs.
  func isLeftToStreams(_ context: PlanContext) -> Bool {
    context.snapshot.isOfOneProgram && context.snapshot.has(.graphBuffer)
  }

  /// PipeWire's buffer is at most the shortest one that a running stream requests.
  func ownConditions(
    _ context: PlanContext, _ device: Device, _ preference: Duration
  ) throws(Obstacle) -> [Condition] {
    guard let stream = shortest(context, device) else {
      throw Obstacle(.pending, "streams of this program ask for it", .stream)
    }
    let rate = context.snapshot.rate(of: device)
    let nearest = Graph.quantum(
      preference, rate: rate, limit: context.snapshot.quantumLimit(of: device))
    return [
      .value(.streamLatency(device.direction, stream.index), asked: .duration(preference)) {
        // A stream asks for whole frames of its own rate.
        let frame = Graph.duration(frames: 1, rate: Int(stream.sampleSpec.rate))
        return $0.duration ?? .seconds(9)
          <= max(preference, Graph.duration(frames: nearest, rate: rate)) + frame
      } otherwise: {
        Obstacle(
          .unreachable, "this program's streams ask for \($0?.description ?? "nothing")")
      }
    ]
  }

  /// The running stream of the session's program that asks for the shortest buffer.
  func shortest(_ context: PlanContext, _ device: Device) -> Stream? {
    context.snapshot.viewersStreams(on: device).filter { !$0.isCorked }.compactMap { stream in
      stream.askedLatency.map { (stream: stream, latency: $0) }
    }
    .min { $0.latency < $1.latency }?.stream
  }

  /// A buffer of PipeWire that no stream shows now.
  func unseen(_ context: PlanContext, _ device: Device, _ preference: Duration) -> Obstacle {
    guard context.snapshot.pins.isPinned(device, kind: "latency") else {
      return Obstacle(
        .pending, "no stream of the session holds the IO buffer of \(device.name)", .device)
    }
    // A buffer that must be met has been tried just now. Without a request the pin waits.
    guard !context.input.isExplicit else {
      return Obstacle(.pending, "\(device.name) has not shown its buffer", .device)
    }
    let had = attempt(context, device, preference)?.duration.map {
      "; it was \(Words.milliseconds($0)) when the session asked for \(Words.milliseconds(preference))"
    }
    return Obstacle(
      .pending, "the buffer of \(device.name) shows only while a program uses it" + (had ?? ""),
      .stream)
  }

  /// How the buffer of the graph differs from the requested one, which it is not.
  func limit(
    _ context: PlanContext, _ device: Device, _ preference: Duration, _ given: Duration,
    ofGraph fit: BufferFit
  ) -> Obstacle {
    let gives = "\(device.name) gives \(Words.milliseconds(given))"
    let (frames, rate) = (
      context.snapshot.quantumLimit(of: device), context.snapshot.rate(of: device)
    )
    // The rate of an idle device, which may be another one, is known roughly.
    let isKnown = context.snapshot.pins.knownRate(of: device) != nil
    func isGiven(_ frames: Int) -> Bool {
      let buffer = Graph.duration(frames: frames, rate: rate)
      let grain = isKnown ? Graph.duration(frames: 1, rate: rate) : buffer / 5
      return given >= buffer - grain && given <= buffer + grain
    }
    if fit == .shorter, isGiven(frames) {
      return Obstacle(.unreachable, "\(gives) at most (\(frames) frames)")
    }
    // All devices of the graph have one buffer.
    let programs = Set(
      context.snapshot.forcingPrograms.filter { isGiven(min($0.frames, frames)) }.map(\.name)
    ).sorted()
    let why =
      programs.isEmpty
      ? "something else decides it: another program, a setting of PipeWire, or the device"
      : "\(Words.list(programs)) \(programs.count == 1 ? "forces" : "force") it for all devices"
    return .overridden(
      "\(device.name) has \(Words.milliseconds(given)) and not \(Words.milliseconds(preference)), "
        + "because \(why)")
  }
}
