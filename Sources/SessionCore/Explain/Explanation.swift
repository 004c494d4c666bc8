import JSONCoding
package import PulseTypes

/// Why a property has its value: preferred and actual value, verdict, and the causes on the
/// machine.
package struct Explanation: Sendable, Hashable {
  /// The property, as in the state's JSON.
  package var property: Property
  /// Preferred and actual value, and verdict.
  package var report: PropertyReport
  /// The causes, the most important first; one sentence each, for users.
  package var causes: [String] = []
  /// The candidates, the best first; empty if there was no choice.
  package var choices: [Choice] = []

  /// A device or a port that could have been used.
  package struct Choice: Sendable, Hashable, Encodable, EncodableWithNulls {
    /// The server's name.
    package var name: String
    /// Whether it was chosen.
    package var isChosen: Bool
    /// Whether something is plugged into its port; nil if it has none.
    package var availability: PortAvailability?
    /// The server's priority among equals, the higher the better; nil if unknown.
    package var priority: Int?
    /// Why it was chosen, or why not.
    package var reason: String

    private enum CodingKeys: String, CodingKey {
      case name
      case isChosen = "chosen"
      case availability, priority, reason
    }
  }

  /// Explains a property of a state; without a snapshot only the preference is known.
  package init(_ property: Property, _ report: PropertyReport, _ facts: MachineFacts) {
    self.property = property
    self.report = report
    guard let snapshot = facts.snapshot else {
      causes = ["no server answers at \(facts.address): only the preference is known"]
      return
    }
    property.row.aspect?.explain(&self, on: snapshot, facts)
    causes = facts.sessionCauses(property, report, snapshot) + causes
  }
}

extension Explanation {
  /// The property for a user's word: its name in any spelling, the server's term, or the key of a
  /// profile, with or without its table; of the input if both directions have it.
  package static func property(named word: String) -> Property? {
    let plain = plain(word)
    return Property.reported.first { Self.plain($0.rawValue) == plain }
      ?? Property.reported.first { $0.row.synonyms.contains { Self.plain($0) == plain } }
      ?? Property.reported.first { [$0.row.key, $0.row.name].map(Self.plain).contains(plain) }
  }

  /// The property with the name most like a word; nil if none is similar.
  package static func suggestion(for word: String) -> Property? {
    let names = Property.reported.flatMap { [$0.rawValue] + $0.row.synonyms + [$0.row.name] }
    return Text.nearest(plain(word), among: names).first.flatMap(property)
  }

  private static func plain(_ word: String) -> String { word.lowercased().filter(\.isLetter) }
}

extension Explanation: Encodable {
  /// Writes every key, as null if there is no value; `absent` only if a first choice is not there.
  package func encode(to encoder: any Encoder) throws {
    let members: JSONObject = [
      "schema": 1, "property": property, "preferred": report.preferred, "actual": report.actual,
      "verdict": report.verdict, "reason": report.reason, "waitingFor": report.waitingFor,
    ]
    try members.adding("absent", report.absent).adding("causes", causes)
      .adding("choices", choices).encode(to: encoder)
  }
}
