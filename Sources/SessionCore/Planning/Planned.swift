/// A part of the mode that the server should have, and when it is planned.
protocol Planned: Sendable {
  /// The property to which it belongs.
  var property: Property { get }
  /// The phase in which its targets are planned.
  var phase: Phase { get }
  /// The settings for the mode, and their values.
  func targets(_ context: PlanContext) throws(SessionError) -> [Target]
}
