extension Ratios {
  /// The figures of the release build, and the aims. Recording one anew needs a reason in the
  /// commit's message.
  static let recorded: [String: Record] = [:]
}
