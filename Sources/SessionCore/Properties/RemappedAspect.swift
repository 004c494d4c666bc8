import PulseTypes

/// A property of the input that the remap of `ChannelMapAspect` realizes.
protocol RemappedAspect: Aspect {}

extension RemappedAspect {
  var phase: Phase { .channelMap }
  func isShared(in mode: AudioMode) -> Bool { false }
  var isDerived: Bool { true }

  func direction(of mode: AudioMode) -> Direction? { .input }

  /// The channel map stands for it.
  func capture(_ setup: inout CapturedSetup, from source: CaptureSource) {}

  func conditions(_ context: PlanContext) throws(Obstacle) -> [Condition] {
    try ChannelMapAspect.conditions(context, .input)
  }

  func explain(_ result: inout Explanation, on snapshot: ServerSnapshot, _ facts: MachineFacts) {
    ChannelMapAspect(direction: .input).explain(&result, on: snapshot, facts)
  }
}
