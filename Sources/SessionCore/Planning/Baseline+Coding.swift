import JSONCoding

/// The JSON of a baseline. A newer version may have recorded settings or values that this one does not
/// know: they stay as they are, for that version, and the others are restored.
extension Baseline {
  private enum Key: CodingKey { case entries, serverCookie }

  /// An entry, or that of a newer version.
  private enum Recorded: Decodable {
    case known(Entry)
    case newer(JSON.Text)

    private enum Key: CodingKey { case setting, before }

    init(from decoder: any Decoder) throws {
      do {
        self = .known(try Entry(from: decoder))
      } catch {
        // Anything that does not look like an entry is damage.
        let entry = try decoder.container(keyedBy: Key.self)
        let setting = try entry.nestedContainer(keyedBy: NameKey.self, forKey: .setting)
        guard setting.allKeys.count == 1, entry.contains(.before) else { throw error }
        self = .newer(try JSON.Text(from: decoder))
      }
    }
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self.init(serverCookie: try container.decodeIfPresent(UInt32.self, forKey: .serverCookie))
    for recorded in try container.decode([Recorded].self, forKey: .entries) {
      switch recorded {
      case .known(let entry): entries.append(entry)
      case .newer(let text): newer.append(text)
      }
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    var list = container.nestedUnkeyedContainer(forKey: .entries)
    for entry in entries { try list.encode(entry) }
    for text in newer { try list.encode(text) }
    try container.encodeIfPresent(serverCookie, forKey: .serverCookie)
  }

  /// For users, what this version cannot restore; nil if there is nothing.
  package var newerNote: String? {
    guard !newer.isEmpty else { return nil }
    let isOne = newer.count == 1
    return (isOne ? "1 setting was" : "\(newer.count) settings were")
      + " recorded by a newer version of AudioSession: 'revert' of that version restores "
      + (isOne ? "it" : "them")
  }
}
