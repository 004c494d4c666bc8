extension String {
  /// Whether the text contains these bytes.
  ///
  /// For words in a server's strings: the standard library's search compares user-perceived
  /// characters, and its time is quadratic for a hostile text.
  package func has(_ word: StaticString) -> Bool {
    var text = self
    let count = word.utf8CodeUnitCount
    return text.withUTF8 { text in
      guard let bytes = text.baseAddress else { return count == 0 }
      var start = 0
      while start + count <= text.count {
        var length = 0
        while length < count, bytes[start + length] == word.utf8Start[length] { length += 1 }
        if length == count { return true }
        start += 1
      }
      return false
    }
  }
}
