import PulseTypes

extension Notation<ChannelSelection> {
  /// An array of positions, or one of four words.
  static let channels = Notation { node, label, reading in
    if let word = node.string {
      let selection = words.first { Text.folded($0.word) == Text.folded(word) }?.selection
      return selection ?? reading.wrongValue(node, label, unknown(word, label.key))
    }
    return reading.elements(
      of: node, label,
      "an array of positions, such as [\"front-left\", \"front-right\"], or one of "
        + Words.list(words.map(\.word), last: "or")
    ) { Vocabulary.positions.read($0, label, &$1) }.map(ChannelSelection.positions)
  } write: { selection in
    if case .positions(let positions) = selection {
      return TOMLWords.array(positions.map { TOMLWords.quoted($0.rawValue) })
    }
    return TOMLWords.quoted(words.first { $0.selection == selection }?.word ?? "")
  }

  private static let words: [(word: String, selection: ChannelSelection)] = [
    ("mono", .mono), ("left", .left), ("right", .right), ("swap", .swap),
  ]

  private static func unknown(_ word: String, _ key: String) -> String {
    let start = "\(key) \"\(Text.visible(word))\" is not known; "
    if let position = Vocabulary.positions[word] {
      return start + "a list of positions is an array: [\"\(position.rawValue)\"]"
    }
    return start
      + "it can be \(Words.list(words.map(\.word), last: "or")), or an array of positions, "
      + "such as [\"front-left\", \"front-right\"]"
  }
}
