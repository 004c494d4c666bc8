extension Note {
  /// The pitch for a name: `A4` is 69, `C#5` and `Db5` are 73, `C-1` is 0; also accepts a number.
  ///
  /// - Returns: nil if the text is not a name, or its note is not in 0...127.
  public static func pitch(named name: String) -> Int? {
    if let number = Int(name) { return (0...127).contains(number) ? number : nil }
    let steps: [Character: Int] = ["C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11]
    guard let letter = name.first?.uppercased().first, let step = steps[letter] else { return nil }
    let accidentals = name.dropFirst().prefix { "#b♯♭".contains($0) }
    let shift = accidentals.reduce(0) { $0 + ("#♯".contains($1) ? 1 : -1) }
    guard let octave = Int(name.dropFirst(1 + accidentals.count)), (-1...9).contains(octave) else {
      return nil
    }
    let pitch = (octave + 1) * 12 + step + shift
    return (0...127).contains(pitch) ? pitch : nil
  }
}
