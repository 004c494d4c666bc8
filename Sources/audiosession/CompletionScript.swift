/// A generated completion script, corrected for `sandbox`: that command has words of its own and commands
/// below it, and the argument parser's scripts take every word as its own, or fail.
enum CompletionScript {
  static func corrected(_ script: String) -> String {
    var lines = script.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var isOfSandbox = false
    for (at, line) in lines.enumerated() {
      // bash and zsh have a function for each command.
      if line.hasSuffix("() {") { isOfSandbox = line.hasPrefix("_audiosession_sandbox()") }
      guard isOfSandbox || lines[max(0, at - 1)].hasSuffix("case 'sandbox'") else { continue }
      if line.hasSuffix("_options -1") {  // bash: as many words as there are
        lines[at] = String(line.dropLast(2)) + "0"
      } else if line.hasSuffix(" '*:command:'") {  // zsh: two rest arguments
        lines[at] = ""
      } else {  // fish
        lines[at] = line.replacing(
          "__audiosession_parse_subcommand -r 1 ", with: "__audiosession_parse_subcommand 0 ")
      }
    }
    return lines.joined(separator: "\n")
  }
}
