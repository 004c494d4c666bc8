/// The server's answer to a step, in addition to the snapshot after it.
package enum StepAnswer: Sendable {
  /// The step was carried out. `granted` is the latency that a pin was granted, or the rate that a
  /// device kept although a pin requested another.
  case done(granted: SettingValue?)
  /// The object of the step has ended.
  case ended
  /// The step was carried out, and another program changed the value at once, each of these times; the
  /// error has the value.
  case undone(SessionError, times: Int)
  /// What the plan relied on has changed, so the step may have no effect or another one.
  case outdated
}
