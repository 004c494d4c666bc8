import ArgumentParser
import AudioSession
import JSONCoding

struct ExplainCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain why a property has its present value.",
    discussion: """
      Without a property it lists those that can be explained. 'default-source' and 'default-sink' \
      are the preferred input and output; a key of a profile, such as gain or output.codec, is the property \
      that it sets. Nothing is changed.

      JSON: schema, property, preferred, actual, verdict, reason, waitingFor; absent (the first \
      choice of a device, if it is not there); causes: sentences; choices: name, chosen, \
      availability (yes, no, unknown; null without a port), priority, reason. Without a property: \
      schema; properties: name, label, words (which mean the same).
      """)

  @Argument(
    help: "A property of the state, such as sampleRate or microphone. (default: list them)",
    completion: .list(Property.reported.map(\.rawValue)))
  var property: [String] = []

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  /// The words as one: `default source`.
  private var word: String { property.joined(separator: " ") }

  func validate() throws {
    guard !property.isEmpty, Explanation.property(named: word) == nil else { return }
    let hint = Explanation.suggestion(for: word).map { "; do you mean \($0)?" } ?? "."
    throw ValidationError(
      "there is no property '\(visible(word))'\(hint) "
        + "There are: \(Property.reported.map(\.rawValue).joined(separator: ", "))")
  }

  func run(_ context: Context) async throws -> Status {
    guard !property.isEmpty else {
      return try context.output.result(json: PropertyList.json) { PropertyList.lines(width: $0) }
    }
    let (facts, state) = try await context.withSession { session in
      let facts = try await session.machineFacts()
      if let state = facts.state { return (facts, state) }
      // What is stored says nothing of a server that answers.
      if facts.snapshot != nil { return (facts, try await session.getSessionState()) }
      return (facts, await session.storedState())
    }
    guard let name = Explanation.property(named: word), let report = state.properties[name]
    else { throw ValidationError("there is no property '\(visible(word))'") }
    let explanation = Explanation(name, report, facts)
    for error in facts.damaged { context.output.warning(error.message) }
    try context.output.result(explanation) {
      ExplanationView.lines(explanation, width: $0, names: context.names(facts.snapshot))
    }
    return facts.unreachable.map(context.output.complain) ?? .done
  }
}
