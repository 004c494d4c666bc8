import PulseTypes

/// One property of the session: how mode and server are compared, and when it is changed.
///
/// It names what must be read for the preference to be in effect; the verdict is made from what was
/// read (`report(_:by:)`).
protocol Aspect: Planned {
  /// The preferred value; nil without a preference.
  func preferred(_ context: PlanContext) -> StateValue?
  /// The actual value, of a derived property the part that is in effect; nil if it is unknown.
  func actual(_ context: PlanContext) -> StateValue?
  /// What must be read for the preference to be in effect; throws what prevents it.
  func conditions(_ context: PlanContext) throws(Obstacle) -> [Condition]
  /// Adds a server's value to a captured setup.
  func capture(_ setup: inout CapturedSetup, from source: CaptureSource)
  /// Adds the causes of the actual value on a server, for `explain`.
  func explain(_ result: inout Explanation, on snapshot: ServerSnapshot, _ facts: MachineFacts)
  /// Whether a pin holds it; nil if it needs none.
  func isHeld(_ context: PlanContext) -> Bool?
  /// Of a ranking of devices, the first choice if it is not there.
  func absent(_ context: PlanContext) -> String?
  /// The direction of the property's device; nil if it is not a property of a device.
  func direction(of mode: AudioMode) -> Direction?
  /// Whether each device has such a value, and gets it before programs use it (``TakingCharge``).
  var isSetBeforeUse: Bool { get }
  /// Whether a mode's value affects all programs, so that a session of one program leaves it alone.
  func isShared(in mode: AudioMode) -> Bool
  /// Whether the server has no such value: the actual value is the preferred one if its consequences
  /// were read.
  var isDerived: Bool { get }
  /// The preferences that the steps of a plan do not meet; throws if they must be met.
  func unmet(_ context: PlanContext, steps: [Step]) throws(SessionError) -> Unmet?
}

extension Aspect {
  func targets(_ context: PlanContext) throws(SessionError) -> [Target] { [] }
  func actual(_ context: PlanContext) -> StateValue? { nil }
  func isHeld(_ context: PlanContext) -> Bool? { nil }
  func absent(_ context: PlanContext) -> String? { nil }
  var isSetBeforeUse: Bool { false }
  func isShared(in mode: AudioMode) -> Bool { true }
  var isDerived: Bool { false }
}
