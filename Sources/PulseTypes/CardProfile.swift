/// One way a card can be used: which sinks and sources it has (libpulse: `pa_card_profile_info2`).
public struct CardProfile: Sendable, Hashable, Codable {
  /// The server's name, such as `output:analog-stereo+input:analog-stereo`.
  public var name: String
  /// The description for users.
  public var description: String
  /// How many sinks the profile has.
  public var sinkCount: Int
  /// How many sources the profile has.
  public var sourceCount: Int
  /// The priority as a default; the highest is the best.
  public var priority: UInt32
  /// Whether the hardware reports that it can be used now.
  public var isAvailable: Bool

  package init(
    name: String, description: String = "", sinkCount: Int, sourceCount: Int, priority: UInt32,
    isAvailable: Bool = true
  ) {
    self.name = name
    self.description = description
    self.sinkCount = sinkCount
    self.sourceCount = sourceCount
    self.priority = priority
    self.isAvailable = isAvailable
  }
}
