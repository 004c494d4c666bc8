/// Fits text into a screen's width; a nil width is no limit.
enum Layout {
  /// Breaks a sentence between words, but not between a number and its unit; a name that is longer
  /// than a line is broken behind its marks: `alsa_input.usb-` and `Example-00`.
  static func wrap(_ text: String, indent: Int, width: Int?, style: Style = .plain) -> [Line] {
    let margin = Span(String(repeating: " ", count: indent))
    guard let width else { return [[margin, Span(text, style)]] }
    let room = max(8, width - indent)
    var rows: [String] = []
    for word in words(of: visible(text)) {
      let parts = parts(of: word, room)
      if let last = rows.last, last.displayWidth + 1 + parts[0].displayWidth <= room {
        rows[rows.count - 1] = last + " " + parts[0]
      } else {
        rows.append(parts[0])
      }
      rows += parts[1...]
    }
    return rows.map { [margin, Span($0, style)] }
  }

  /// The parts of a word that fit into a line; a part without a mark that does not is cut.
  private static func parts(of word: String, _ room: Int) -> [String] {
    var parts = [""]
    var run = ""
    // Of the last part and of the run.
    var (width, runWidth) = (0, 0)
    func add() {
      if width == 0 || width + runWidth <= room {
        parts[parts.count - 1] += run
        width += runWidth
      } else {
        parts.append(run)
        width = runWidth
      }
      (run, runWidth) = ("", 0)
    }
    for character in word {
      if runWidth + character.displayWidth > room { add() }
      run.append(character)
      runWidth += character.displayWidth
      if "-._:/+,=".contains(character) { add() }
    }
    add()
    return parts
  }

  /// The same behind a first span, such as a mark, over which the other lines are indented.
  static func wrap(_ text: String, after first: Span..., width: Int?, style: Style = .plain)
    -> [Line]
  {
    var lines = wrap(text, indent: Line(first).width, width: width, style: style)
    if lines.isEmpty { return [Line(first)] }
    lines[0].spans.replaceSubrange(0..<1, with: first)
    return lines
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

  /// The lines at the beginning that fit into the rows of a screen, and how many do not.
  static func fitting(_ lines: [Line], rows: Int, columns: Int) -> [Line] {
    func beginning(_ rows: Int) -> ArraySlice<Line> {
      var left = rows
      return lines.prefix { line in
        left -= line.rows(in: columns)
        return left >= 0
      }
    }
    guard beginning(rows).count < lines.count else { return lines }
    let shown = beginning(rows - 1)
    return shown + [Line("  (\(lines.count - shown.count) more lines)", .dim)]
  }

  /// A message after its kind, continued two columns in.
  static func message(_ kind: Span, _ text: String, width: Int?) -> [Line] {
    let text = visible(text)
    guard let width else { return [[kind, Span(text)]] }
    let filler = String(repeating: "\u{a0}", count: kind.width - 1) + " "
    var lines = wrap(filler + text, indent: 2, width: width)
    if lines.count > 1, let (sentence, command) = command(in: text) {
      return message(kind, sentence, width: width) + [["  ", Span(command)]]
    }
    guard let first = lines.first?.spans.last?.text else { return [[kind]] }
    lines[0] = [kind, Span(String(first.dropFirst(kind.width)))]
    return lines
  }

  /// A sentence that may end with a command, which is not wrapped.
  static func sentence(_ text: String, indent: Int, width: Int?, style: Style = .plain) -> [Line] {
    let text = visible(text)
    let lines = wrap(text, indent: indent, width: width, style: style)
    guard lines.count > 1, let (sentence, command) = command(in: text) else { return lines }
    return wrap(sentence, indent: indent, width: width, style: style)
      + [[Span(String(repeating: " ", count: indent + 2)), Span(command, style)]]
  }

  /// The command at the end of a sentence, and what is before it. It is for copying, so it is never wrapped.
  static func command(in text: String) -> (sentence: String, command: String)? {
    ["pactl", "audiosession"].lazy.compactMap { program -> (String, String)? in
      // In "NAME (process 1)" the program's name is no command.
      guard let found = text.firstRange(of: ": \(program) "),
        !text[found.upperBound...].hasPrefix("(")
      else { return nil }
      let end = text.index(after: found.lowerBound)
      return (String(text[..<end]), String(text[end...].dropFirst()))
    }.first
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

  /// Rows of a name and its text in two columns; on a narrow screen the text is below the name.
  static func pairs(_ rows: [(name: String, text: String)], width: Int?) -> [Line] {
    let table = columns(rows.map { [Span($0.name), Span($0.text, .dim)] }, indent: 2)
    guard let width, table.contains(where: { $0.width > width }) else { return table }
    return rows.flatMap { name, text in
      [["  ", Span(name)]] + wrap(text, indent: 6, width: width, style: .dim)
    }
  }
}
