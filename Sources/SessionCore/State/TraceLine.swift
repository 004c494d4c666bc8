package struct TraceLine: Sendable, Hashable, Codable {
  /// The format's version.
  package var schema = 1
  /// The time in ISO 8601.
  package var time: String
  /// What happened.
  package var entry: TraceEntry

  package init(time: String, entry: TraceEntry) {
    self.time = time
    self.entry = entry
  }
}
