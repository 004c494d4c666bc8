/// A source that was recorded.
public struct RecordedInput: Sendable, Hashable, Codable {
  /// The position of its first frame.
  public var position: Int64
  /// Its name.
  public var device: String
}
