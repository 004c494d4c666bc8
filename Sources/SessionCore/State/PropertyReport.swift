import JSONCoding

/// The preferred and actual value of one property, what was read of it, and why they differ.
///
/// A session makes reports from what it read on a server; a report that was decoded from JSON is a
/// plain value.
public struct PropertyReport: Sendable, Hashable, Decodable {
  /// The preferred value; nil without a preference.
  public let preferred: StateValue?
  /// The actual value; nil if it is unknown.
  public let actual: StateValue?
  /// Whether the preference is in effect.
  public let verdict: Verdict
  /// Why not; nil when applied or unset.
  public let reason: String?
  /// What a pending preference waits for.
  public let waitingFor: WaitingFor?
  /// Whether a pin holds it; nil if it needs none.
  public let held: Bool?
  /// Of a preferred device, the first choice if it is not there; otherwise nil.
  public let absent: String?
  /// What was read for the verdict. The last reading of an unmet preference is the one that differs,
  /// if a value differs.
  public let readings: [Reading]
  /// Why the server has nothing to read for all or a part of it; nil if all was read.
  public let nothingToRead: String?

  private init(
    _ preferred: StateValue?, _ actual: StateValue?, _ verdict: Verdict,
    _ obstacle: Obstacle? = nil,
    held: Bool? = nil, absent: String? = nil, _ readings: [Reading] = [],
    nothingToRead: String? = nil
  ) {
    self.preferred = preferred
    self.actual = actual
    self.verdict = verdict
    self.reason = obstacle?.reason
    self.waitingFor = obstacle?.waitingFor
    self.held = held
    self.absent = absent
    self.readings = readings
    self.nothingToRead = nothingToRead
  }

  /// A report without a preference.
  static func unset(_ actual: StateValue?) -> PropertyReport {
    PropertyReport(nil, actual, .unset)
  }

  /// A preference that is in effect: the only place that reports it.
  static func applied(
    _ preferred: StateValue, _ actual: StateValue?, _ proof: Proof, held: Bool? = nil,
    absent: String? = nil
  ) -> PropertyReport {
    PropertyReport(
      preferred, actual, .applied, held: held, absent: absent, proof.readings,
      nothingToRead: proof.nothingToRead)
  }

  static func unmet(
    _ preferred: StateValue?, _ actual: StateValue?, _ obstacle: Obstacle, held: Bool? = nil,
    absent: String? = nil, _ readings: [Reading] = []
  ) -> PropertyReport {
    PropertyReport(
      preferred, actual, obstacle.verdict, obstacle, held: held, absent: absent, readings)
  }
}

extension PropertyReport: Encodable {
  /// Writes preferred, actual, verdict, reason and readings always, as null if there is none.
  public func encode(to encoder: any Encoder) throws {
    let members: JSONObject = [
      "preferred": preferred, "actual": actual, "verdict": verdict, "reason": reason,
    ]
    try members.adding("waitingFor", waitingFor).adding("held", held).adding("absent", absent)
      .adding("readings", readings).adding("nothingToRead", nothingToRead).encode(to: encoder)
  }
}

extension PropertyReport: CustomStringConvertible {
  /// The actual value, the preferred one if it differs, the verdict and the reason.
  public var description: String {
    let value = actual.map { "\($0)" } ?? "unknown"
    let preference = preferred.flatMap { $0 == actual ? nil : ", preferred \($0)" } ?? ""
    return "\(value)\(preference): \(verdict.rawValue)" + (reason.map { " (\($0))" } ?? "")
  }
}
