import AudioSession

/// Makes text from a server or a file harmless on a terminal.
///
/// Control characters, line separators and those that turn the direction of text appear as
/// `\u{1b}`; a name that holds them could otherwise move the cursor, or show as another name.
func visible(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: { $0.isHidden }) else { return text }
  return text.unicodeScalars.map { scalar in
    scalar.isHidden ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
  }.joined()
}
