extension String {
  /// Whether the text contains these bytes.
  ///
  /// For words in a server's strings: the standard library's search compares user-perceived
  /// characters, and its time is quadratic for a hostile text.
  package func has(_ word: StaticString) -> Bool {
    var text = self
    return text.withUTF8 { text in
      word.withUTF8Buffer { word in
        guard word.count <= text.count else { return false }
        return (0...(text.count - word.count)).contains { start in
          word.indices.allSatisfy { text[start + $0] == word[$0] }
        }
      }
    }
  }
}
