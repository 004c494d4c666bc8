extension PropertyRow {
  static let polarPattern = PropertyRow(
    .polarPattern, { $1(&$0.polarPattern) }, "input.polar-pattern", .word(),
    excludes: (.channelMap, "a polar pattern and a channel map both say which channels to take"),
    aspect: PolarPatternAspect(), check: Check.polarPattern)
}

/// The polar pattern of the microphone.
struct PolarPatternAspect: RemappedAspect {
  let property = Property.polarPattern

  func preferred(_ context: PlanContext) -> StateValue? {
    context.mode.polarPattern.map { .string($0.rawValue) }
  }
}
