internal import CPulse

/// The time of day (libpulse: `pa_gettimeofday`).
///
/// Not by `clock_gettime`: with Swift's runtime linked statically its `timespec` belongs to another
/// module than in a debug build, which only one of the two compiles.
package enum TimeOfDay {
  /// Microseconds since 1970, UTC.
  package static var microseconds: Int {
    var now = timeval()
    pa_gettimeofday(&now)
    return Int(now.tv_sec) * 1_000_000 + Int(now.tv_usec)
  }
}
