import PulseTypes

/// The targets after a chain is built: the default, written once, at its end; then streams that are
/// on other devices.
struct ChainEnd: Planned {
  let direction: Direction
  var phase: Phase { .channelMap }

  var property: Property { .device(direction) }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    guard let device = context.device(direction) else { return [] }
    let end = context.preferredEnd(on: device)
    if context.snapshot.isOfOneProgram { return ownMoves(context, to: end) }
    var targets: [Target] = []
    if end != device.name {
      targets.append(
        Target(
          property, .defaultDevice(direction), .name(end), phase: phase, why: "the end of the chain"
        ))
    }
    guard context.mode.preferences(direction).moveStreams else { return targets }
    return targets + moves(context, to: end)
  }

  /// The streams of the session's program, if the session prefers a device.
  private func ownMoves(_ context: PlanContext, to end: String) -> [Target] {
    guard context.mode.preferences(direction).prefer != nil else { return [] }
    return context.snapshot.viewersPlaces(direction, beside: end).map { stream, _ in
      Target(
        property, .stream(direction, stream.index), .name(end), phase: phase,
        why: "a stream of this program")
    }
  }

  /// Streams of other programs, including those already there, because the mode keeps them there;
  /// streams that record a monitor stay on it, those of modules and filters where they were made, and
  /// those that a program opened on a named device with this library, such as to measure it.
  private func moves(_ context: PlanContext, to end: String) -> [Target] {
    let (snapshot, streams) = (context.snapshot, context.snapshot.streams(direction))
    func isMoved(_ stream: Stream) -> Bool {
      guard !snapshot.isOwned(stream), stream.isOfProgram, stream.resampleMethod != "peaks",
        stream.properties[Owned.fixedKey] == nil, !snapshot.hasOwnSession(stream),
        let device = snapshot.device(direction, at: stream.device)
      else { return false }
      return !device.isMonitor || device.name == end
    }
    // By their places: a stream is large to copy.
    return streams.indices.filter { isMoved(streams[$0]) }.map { at in
      Target(
        property, .stream(direction, streams[at].index), .name(end), phase: phase,
        why: "\(snapshot.programName(of: streams[at])) is moved")
    }
  }
}
