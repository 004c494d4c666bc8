import AudioSession
import FoundationEssentials

extension PropertyReport {
  /// A report for a view. Only a session makes reports, of what it read, so this one is decoded.
  static func made(
    preferred: StateValue? = nil, actual: StateValue? = nil, verdict: Verdict,
    reason: String? = nil, waitingFor: String? = nil, readings: [[String: String]] = [],
    nothingToRead: String? = nil
  ) -> PropertyReport {
    struct Shape: Encodable {
      var preferred: StateValue?
      var actual: StateValue?
      var verdict: Verdict
      var reason: String?
      var waitingFor: String?
      var readings: [[String: String]]
      var nothingToRead: String?
    }
    do {
      let shape = Shape(
        preferred: preferred, actual: actual, verdict: verdict, reason: reason,
        waitingFor: waitingFor, readings: readings, nothingToRead: nothingToRead)
      return try JSONDecoder().decode(PropertyReport.self, from: JSONEncoder().encode(shape))
    } catch {
      fatalError("not a report: \(error)")
    }
  }
}
