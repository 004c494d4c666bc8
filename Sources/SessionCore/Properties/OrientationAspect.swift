import PulseTypes

extension PropertyRow {
  static let inputOrientation = PropertyRow(
    .inputOrientation, { $1(&$0.inputOrientation) }, "input.orientation", .word(),
    aspect: OrientationAspect(),
    needsDevice: { (orientation: Orientation) in orientation.quarterTurns != 0 })
}

/// How the user holds the device.
struct OrientationAspect: RemappedAspect {
  let property = Property.inputOrientation

  func preferred(_ context: PlanContext) -> StateValue? {
    context.mode.inputOrientation.map { .string($0.rawValue) }
  }

  func conditions(_ context: PlanContext) throws(Obstacle) -> [Condition] {
    let isTurned = context.mode.inputOrientation?.quarterTurns != 0
    guard isTurned || context.resolved(.input) != nil else {
      return [.nothing("no channels change places")]
    }
    return try ChannelMapAspect.conditions(context, .input)
  }
}
