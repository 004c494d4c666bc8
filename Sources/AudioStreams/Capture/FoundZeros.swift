/// Zeros amid sound of which it is not known yet whether the server explains them.
struct FoundZeros: Sendable, Hashable {
  /// Their place in the buffers.
  var zeros: ZeroFrames
  /// When they began (`CLOCK_MONOTONIC`, nanoseconds).
  var began: Int64
  /// How many moves of the tap were noted before their end.
  var moves: Int
}
