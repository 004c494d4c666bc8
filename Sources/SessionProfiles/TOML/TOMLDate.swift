import SessionCore

/// TOML's dates and times, which a message calls dates; no profile has any.
enum TOMLDate {
  /// Whether a word begins like a date or a time, valid or not.
  static func isLikeDate(_ word: ArraySlice<UInt8>) -> Bool {
    let head = Array(word.prefix(5))
    guard head.count == 5, head[0].isDigit, head[1].isDigit else { return false }
    return head[2] == .colon && head[3].isDigit
      || head[2].isDigit && head[3].isDigit && head[4] == .hyphen
  }

  /// Whether a space and a time follow the date that ends here.
  static func hasTime(_ cursor: TextCursor) -> Bool {
    guard cursor.peek() == .space, let tens = cursor.peek(1), let ones = cursor.peek(2) else {
      return false
    }
    return tens.isDigit && ones.isDigit && cursor.peek(3) == .colon
  }
}
