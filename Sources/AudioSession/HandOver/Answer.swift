import SessionCore

struct Answer: Sendable, Codable {
  var number: Int
  /// Nil if it failed, and for a takeover.
  var report: ApplyReport?
  var error: SessionError?
}
