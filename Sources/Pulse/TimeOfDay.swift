internal import CPulse

/// The time of day (libpulse: `pa_gettimeofday`).
///
/// Not `clock_gettime`: with a statically linked Swift runtime its `timespec` belongs to another
/// module than in a debug build, so code for one of them does not compile in the other.
package enum TimeOfDay {
  /// Microseconds since 1970, UTC.
  package static var microseconds: Int {
    var now = timeval()
    pa_gettimeofday(&now)
    return Int(now.tv_sec) * 1_000_000 + Int(now.tv_usec)
  }
}
