public import JSONCoding
import PulseTypes

/// A value that a server reported: what was read, from which object, and in which answer.
///
/// Only an `Observer` makes one, from a snapshot of the actual server. One that was decoded from JSON
/// is a plain value: no verdict is made from it.
public struct Reading: Sendable, Hashable, Codable, EncodableWithNulls {
  /// The server's object: the name of a device, card or module's device, `sink input 7`, `server`.
  public let object: String
  /// The property of the object, in PulseAudio's terms: `volume`.
  public let property: String
  /// The value, in Hz, seconds, or 1.0 = 100 %; nil for none: no remap, no default.
  public let value: StateValue?
  /// The value for people: `80 %`.
  public let text: String
  /// The answer that had the value.
  public let answer: Answer

  /// An answer of a server.
  public enum Answer: String, Sendable, Hashable, Codable {
    /// The server's own description, which names the defaults.
    case server
    /// The description of a card, source, sink or module.
    case card, source, sink, module
    /// The description of a stream; of a rate that the session's own stream forces on PipeWire, that
    /// stream.
    case sourceOutput, sinkInput
    /// The buffer or rate that a stream of the session was granted, now or while applying; on PipeWire
    /// the buffer that was measured with it.
    case grant

    static func device(_ direction: Direction) -> Answer {
      direction == .input ? .source : .sink
    }

    static func stream(_ direction: Direction) -> Answer {
      direction == .input ? .sourceOutput : .sinkInput
    }
  }

  fileprivate init(_ fact: Fact, _ found: Fact.Found) {
    object = fact.object
    property = fact.label
    value = found.value.stateValue
    text = found.value.description
    answer = found.answer
  }
}

/// The readings that show that a preference or a step is in effect. Without one nothing is `applied`.
struct Proof {
  let readings: [Reading]
  /// Why the server has nothing to read for a part of it; nil if all was read.
  let nothingToRead: String?

  fileprivate init(_ readings: [Reading], _ nothingToRead: String?) {
    self.readings = readings
    self.nothingToRead = nothingToRead
  }
}

/// Reads conditions on the actual server. It makes all readings and proofs.
///
/// A predicted server has none: a plan only asks for the obstacle (`PlanContext.obstacle`).
struct Observer {
  /// Finds the value of a fact; the tests have a session that answers with the value it asked for.
  typealias Look = (_ fact: Fact, _ asked: SettingValue) -> Fact.Found?

  /// What was found.
  enum Judgement {
    case met(Proof)
    case unmet(Obstacle, [Reading])
  }

  private let look: Look

  init(look: @escaping Look) { self.look = look }

  init(_ snapshot: ServerSnapshot, grants: [Setting: Duration], memory: HintMemory) {
    self.init { fact, _ in fact.find(in: snapshot, grants, memory) }
  }

  /// Reads conditions up to the first that is not met, as `[Condition].obstacle`.
  func judge(
    _ conditions: [Condition],
    wasSet: (Setting, (SettingValue) -> Bool) -> Bool = { _, _ in false }
  ) -> Judgement {
    var readings: [Reading] = []
    let obstacle = conditions.obstacle(wasSet: wasSet) { fact, asked in
      guard let found = look(fact, asked) else { return nil }
      let reading = Reading(fact, found)
      if !readings.contains(reading) { readings.append(reading) }
      return found.value
    }
    if let obstacle { return .unmet(obstacle, readings) }
    return .met(Proof(readings, conditions.nothingToRead))
  }
}
