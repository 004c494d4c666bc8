public import JSONCoding
public import PulseTypes

/// Why a property has its value: preferred and actual value, verdict, and the causes on the
/// machine.
public struct Explanation: Sendable, Hashable {
  /// The property, as in the state's JSON.
  public var property: Property
  /// Preferred and actual value, and verdict.
  public var report: PropertyReport
  /// The causes, the most important first; one sentence each, for users.
  public var causes: [String]
  /// The candidates, the best first; empty if there was no choice.
  public var choices: [Choice]

  /// A device or a port that could have been used.
  public struct Choice: Sendable, Hashable, Encodable, EncodableWithNulls {
    /// The server's name.
    public var name: String
    /// Whether it was chosen.
    public var isChosen: Bool
    /// Whether something is plugged into its port; nil if it has none.
    public var availability: PortAvailability?
    /// The server's priority among equals, the higher the better; nil if unknown.
    public var priority: Int?
    /// Why it was chosen, or why not.
    public var reason: String

    private enum CodingKeys: String, CodingKey {
      case name
      case isChosen = "chosen"
      case availability, priority, reason
    }

    /// Makes a choice.
    public init(
      _ name: String, isChosen: Bool, availability: PortAvailability?, priority: Int?,
      reason: String
    ) {
      self.name = name
      self.isChosen = isChosen
      self.availability = availability
      self.priority = priority
      self.reason = reason
    }
  }

  /// Explains a property of a state; without a snapshot only the preference is known.
  public init(_ property: Property, _ report: PropertyReport, _ facts: MachineFacts) {
    self.property = property
    self.report = report
    causes = []
    choices = []
    guard let snapshot = facts.snapshot else {
      causes = ["no server answers at \(facts.address): nothing but the wish is known"]
      return
    }
    let direction: Direction = property.rawValue.hasPrefix("output") ? .output : .input
    switch property {
    case .preferredInput: explainDefault(.input, snapshot, facts)
    case .preferredOutput: explainDefault(.output, snapshot, facts)
    case .category: causes = snapshot.profileCauses
    case .mode, .options: causes = snapshot.processingCauses
    case .sampleRate: causes = snapshot.rateCauses(facts)
    case .ioBufferDuration: causes = snapshot.latencyCauses(facts)
    case .inputPort, .outputPort: explainPort(direction, snapshot)
    case .channelMap, .outputChannelMap, .polarPattern, .inputOrientation:
      causes = snapshot.channelCauses(direction)
    case .outputCodec: causes = snapshot.codecCauses
    case .inputGain, .outputVolume: causes = snapshot.volumeCauses(direction, facts)
    case .inputMuted, .outputMuted: causes = snapshot.muteCauses(direction)
    case .inputLatencyOffset, .outputLatencyOffset: causes = snapshot.offsetCauses(direction)
    default: break
    }
  }
}

extension Explanation {
  /// The property for a user's word: its name in any spelling, or the server's term.
  public static func property(named word: String) -> Property? {
    let plain = plain(word)
    let others: [String: Property] = [
      "defaultsource": .preferredInput, "defaultsink": .preferredOutput,
      "input": .preferredInput, "output": .preferredOutput, "rate": .sampleRate,
      "bufferduration": .ioBufferDuration, "latency": .ioBufferDuration,
      "profile": .category, "gain": .inputGain, "volume": .outputVolume,
    ]
    return Property.reported.first { Self.plain($0.rawValue) == plain } ?? others[plain]
  }

  /// The property with the name most like a word; nil if none is similar.
  public static func suggestion(for word: String) -> Property? {
    let plain = plain(word)
    let near = Property.reported.map { ($0, distance(Self.plain($0.rawValue), plain)) }
      .min { $0.1 < $1.1 }
    return near.flatMap { $0.1 <= max(2, plain.count / 3) ? $0.0 : nil }
  }

  private static func plain(_ word: String) -> String { word.lowercased().filter(\.isLetter) }

  /// How many letters must be changed, added or removed to turn one word into the other.
  private static func distance(_ one: String, _ other: String) -> Int {
    let other = Array(other)
    var row = Array(0...other.count)
    for (number, letter) in one.enumerated() {
      var corner = row[0]
      row[0] = number + 1
      for at in other.indices {
        let cost = min(row[at + 1] + 1, row[at] + 1, corner + (letter == other[at] ? 0 : 1))
        corner = row[at + 1]
        row[at + 1] = cost
      }
    }
    return row.last ?? 0
  }
}

extension Explanation: Encodable {
  private enum Key: String, CodingKey {
    case schema, property, preferred, actual, verdict, reason, waitingFor, causes, choices
  }

  /// Writes every key, as null if there is no value.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(1, forKey: .schema)
    try values.encode(property, forKey: .property)
    try values.encode(report.preferred, forKey: .preferred)
    try values.encode(report.actual, forKey: .actual)
    try values.encode(report.verdict, forKey: .verdict)
    try values.encode(report.reason, forKey: .reason)
    try values.encode(report.waitingFor, forKey: .waitingFor)
    try values.encode(causes, forKey: .causes)
    try values.encode(choices, forKey: .choices)
  }
}
