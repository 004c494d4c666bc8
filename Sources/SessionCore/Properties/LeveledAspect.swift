import PulseTypes

/// A level of a direction's device: a value that a person may turn.
protocol LeveledAspect: Aspect {
  var direction: Direction { get }
}

extension LeveledAspect {
  var phase: Phase { .levels }
  var isSetBeforeUse: Bool { true }

  func direction(of mode: AudioMode) -> Direction? { direction }
}
