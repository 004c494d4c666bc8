import SessionCore

/// TOML's dates and times, so that a message can name them; no profile has any.
enum TOMLDate {
  /// The kind of date or time in messages; nil if a word is not a valid one.
  static func name(_ word: ArraySlice<UInt8>) -> String? {
    var rest = word
    if time(&rest) { return rest.isEmpty ? "time" : nil }
    guard date(&rest) else { return nil }
    guard let mark = rest.first else { return "date" }
    guard mark == .space || mark | 0x20 == UInt8(ascii: "t") else { return nil }
    rest = rest.dropFirst()
    guard time(&rest) else { return nil }
    return offset(rest) ? "date-time" : nil
  }

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

  private static func date(_ rest: inout ArraySlice<UInt8>) -> Bool {
    guard let year = number(4, &rest), skip(.hyphen, &rest), let month = number(2, &rest),
      1...12 ~= month, skip(.hyphen, &rest), let day = number(2, &rest)
    else { return false }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    return 1...days ~= day
  }

  private static func time(_ rest: inout ArraySlice<UInt8>) -> Bool {
    var word = rest
    guard let hour = number(2, &word), hour < 24, skip(.colon, &word),
      let minute = number(2, &word), minute < 60, skip(.colon, &word),
      // 60 is a leap second.
      let second = number(2, &word), second <= 60
    else { return false }
    if skip(.dot, &word) {
      guard word.first?.isDigit == true else { return false }
      word = word.drop { $0.isDigit }
    }
    rest = word
    return true
  }

  /// Whether this is an offset or empty.
  private static func offset(_ word: ArraySlice<UInt8>) -> Bool {
    guard let sign = word.first else { return true }
    var rest = word.dropFirst()
    if sign | 0x20 == UInt8(ascii: "z") { return rest.isEmpty }
    guard sign == .plus || sign == .hyphen, let hour = number(2, &rest), hour < 24,
      skip(.colon, &rest), let minute = number(2, &rest), minute < 60
    else { return false }
    return rest.isEmpty
  }

  private static func skip(_ byte: UInt8, _ rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.first == byte else { return false }
    rest = rest.dropFirst()
    return true
  }

  private static func number(_ digits: Int, _ rest: inout ArraySlice<UInt8>) -> Int? {
    let head = rest.prefix(digits)
    guard head.count == digits, head.allSatisfy(\.isDigit) else { return nil }
    rest = rest.dropFirst(digits)
    return head.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }
}
