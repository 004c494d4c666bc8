import PulseTypes

/// A set of words that a profile file may use for the cases of an enum.
///
/// Spellings differ in case, `-` and `_` only, so `landscapeLeft` is `landscape-left`.
struct Vocabulary<Value: Sendable>: Sendable {
  private let values: [String: Value]
  /// The words of profile files, in the order for lists.
  let words: [String]
  /// A summary for lists if there are too many words.
  var summary: String?

  /// All cases of an enum, and aliases for some (folded: lowercase, no hyphens).
  init(_ aliases: [String: Value] = [:])
  where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
    var values = aliases
    for value in Value.allCases { values[Text.folded(value.rawValue)] = value }
    self.values = values
    words = Value.allCases.map(\.rawValue)
  }

  subscript(word: String) -> Value? { values[Text.folded(word)] }

  /// `polar-pattern "figure-8" is not known; it can be stereo, …`.
  func unknown(_ word: String, _ key: String) -> String {
    let near = Text.nearest(word, among: words)
    let hint =
      near.isEmpty ? "it" : "did you mean \(Words.list(near.map { "\"\($0)\"" }, last: "or"))? It"
    return "\(key) \"\(Text.visible(word))\" is not known; \(hint) can be "
      + (summary ?? Words.list(words, last: "or"))
  }

  func read(_ node: Node, _ label: Label, _ reading: inout ProfileReading) -> Value? {
    guard let word = node.string else {
      return reading.wrongType(
        node, label, "one of the words \(summary ?? Words.list(words, last: "or"))")
    }
    return self[word] ?? reading.wrongValue(node, label, unknown(word, label.key))
  }
}

extension Notation where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
  static func word(_ vocabulary: Vocabulary<Value> = Vocabulary()) -> Notation {
    Notation { node, label, reading in
      vocabulary.read(node, label, &reading)
    } write: {
      TOMLWords.quoted($0.rawValue)
    }
  }

  /// An array of words, in any order.
  static func words(_ vocabulary: Vocabulary<Value> = Vocabulary()) -> Notation<Set<Value>>
  where Value: Hashable {
    Notation<Set<Value>> { node, label, reading in
      let example = node.string.flatMap { vocabulary[$0]?.rawValue } ?? vocabulary.words[0]
      return reading.elements(of: node, label, "an array of words, such as [\"\(example)\"]") {
        vocabulary.read($0, label, &$1)
      }.map(Set.init)
    } write: {
      TOMLWords.array($0.map(\.rawValue).sorted().map(TOMLWords.quoted))
    }
  }
}

extension Vocabulary<CategoryOption> {
  /// The options, with AVAudioSession's other names.
  static let options = Vocabulary([
    "allowbluetooth": .allowBluetoothHFP,
    "interruptspokenaudioandmixwithothers": .interruptSpokenAudio,
  ])
}

extension Vocabulary<PortType> {
  /// The port types, with AVAudioSession's other names.
  static let portTypes = Vocabulary([
    "microphonebuiltin": .builtInMic, "microphonewired": .headsetMic,
    "builtinspeaker": .speaker, "headset": .headsetMic, "microphone": .mic,
  ])
}

extension Vocabulary<ChannelPosition> {
  /// The positions, with PulseAudio's other names.
  static let positions = {
    var result = Vocabulary([
      "left": .frontLeft, "right": .frontRight, "center": .frontCenter, "subwoofer": .lfe,
    ])
    let words = result.words.filter { !$0.hasPrefix("aux") }
    result.summary = words.joined(separator: ", ") + " or aux0 to aux31"
    return result
  }()
}
