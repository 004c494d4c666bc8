/// Fits text into a screen's width; a nil width is no limit.
enum Layout {
  /// Shortens the middle of a name, which differ least there: `alsa_input.usb-…-00.analog-stereo`.
  static func shorten(_ text: String, to width: Int?) -> String {
    let text = visible(text)
    guard let width, width >= 1, text.displayWidth > width else { return text }
    let characters = Array(text)
    // Columns first, then by ones for characters that take two.
    var kept = width - 1
    while true {
      let head = (kept + 1) / 2
      let result =
        String(characters.prefix(head)) + "…" + String(characters.suffix(max(0, kept - head)))
      if result.displayWidth <= width || kept <= 0 { return result }
      kept -= 1
    }
  }

  /// Breaks a sentence between words, but not between a number and its unit; a word that is longer
  /// than a line has one to itself.
  static func wrap(
    _ text: String, indent: Int, width: Int?, style: Style = .plain
  ) -> [Line] {
    let margin = Span(String(repeating: " ", count: indent))
    guard let width else { return [[margin, Span(text, style)]] }
    let room = max(16, width - indent)
    var rows: [String] = []
    for word in words(of: visible(text)) {
      let word = shorten(word, to: room)
      if let last = rows.last, last.displayWidth + 1 + word.displayWidth <= room {
        rows[rows.count - 1] = last + " " + word
      } else {
        rows.append(word)
      }
    }
    return rows.map { [margin, Span($0, style)] }
  }

  private static let units: Set<Substring> = ["Hz", "kHz", "ms", "s", "h", "min", "%", "dB", "GB"]

  /// The words, of which a number and its unit are one: `48000 Hz,`.
  private static func words(of text: String) -> [String] {
    text.split(separator: " ").reduce(into: []) { words, word in
      let unit = word.prefix { $0.isLetter || $0 == "%" }
      if units.contains(unit), let last = words.last, last.last?.isNumber == true {
        words[words.count - 1] = last + " " + word
      } else {
        words.append(String(word))
      }
    }
  }

  /// A message after its kind, continued two columns in.
  static func message(_ kind: Span, _ text: String, width: Int?) -> [Line] {
    let text = visible(text)
    guard let width else { return [[kind, Span(text)]] }
    let filler = String(repeating: "\u{a0}", count: kind.width - 1) + " "
    var lines = wrap(filler + text, indent: 2, width: width)
    guard let first = lines.first?.spans.last?.text else { return [[kind]] }
    lines[0] = [kind, Span(String(first.dropFirst(kind.width)))]
    return lines
  }

  /// Rows with aligned columns, two spaces between; the last column is not padded.
  static func columns(_ rows: [[Span]], indent: Int = 0) -> [Line] {
    var widths: [Int] = []
    for row in rows {
      for (at, cell) in row.enumerated() {
        if at == widths.count { widths.append(0) }
        widths[at] = max(widths[at], cell.width)
      }
    }
    return rows.map { row in
      var spans = [Span(String(repeating: " ", count: indent))]
      for (at, cell) in row.enumerated() {
        spans.append(at == row.count - 1 ? cell : cell.padded(to: widths[at] + 2))
      }
      return Line(spans)
    }
  }
}
