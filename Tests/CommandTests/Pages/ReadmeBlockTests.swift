import FoundationEssentials
import PulseSandbox
import TestSupport
import Testing

/// The blocks of commands in README.md run as they are printed, with and without simulated cards.
@Suite("The commands of README.md", .timeLimit(.minutes(10)))
struct ReadmeBlockTests {
  private static func text() throws -> String {
    return String(
      decoding: try Data(contentsOf: URL(filePath: packageFolder + "/README.md")), as: UTF8.self)
  }

  /// The lines of the block after a mark.
  private static func block(_ mark: String) throws -> [String] {
    let lines = try text().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let block = lines.drop { $0 != "<!-- \(mark) -->" }.dropFirst(2).prefix { $0 != "```" }
    return try #require(block.isEmpty ? nil : Array(block), "README.md has no block '\(mark)'")
  }

  /// Runs a script in a folder of its own, with the program found by name.
  private func run(
    _ script: String, cards: Bool, _ body: (CommandResult) throws -> Void
  ) async throws {
    try await PulseSandbox.with(.empty) { outer in
      let folder = builtProgram.dropLast("/audiosession".count)
      let prelude = """
        cd \(outer.directory)
        export PATH=\(folder):$PATH
        \(cards ? "" : "export AUDIOSESSION_SIMULATED_CARD=/none")

        """
      let result = try await outer.capture(
        ["sh", "-c", prelude + script], timeout: .seconds(180))
      try body(result.withTrueRates())
    }
  }

  @Test("the first one shows every step", .simulatedCard, arguments: [true, false])
  func first(cards: Bool) async throws {
    // What is behind the installation and the build.
    let lines = try Self.block("first command").drop { !$0.contains("/audiosession ") }
    let script = lines.joined(separator: "\n")
      .replacing(".build/debug/audiosession", with: "audiosession")
    #expect(script.contains("audiosession demo"))
    try await run(script, cards: cards) { result in
      #expect(result.status == 0, "\(result)")
      let steps = result.standardOutput.split(separator: "\n").filter { $0.hasPrefix("ok ") }
      #expect(steps.count == 7, "\(result)")
    }
  }

  @Test(
    "what can be tried shows each event", .simulatedCard, .timeLimit(.minutes(10)),
    arguments: [true, false])
  func attempts(cards: Bool) async throws {
    // The command of the sentence above the block, which selects the devices with these names.
    let text = try Self.text().replacing("\n", with: " ")
    let start = try #require(
      text.split(separator: "`").first { $0.hasSuffix("audiosession sandbox") }
    )
    .replacing(".build/debug/audiosession", with: "audiosession")
    var lines = try Self.block("try")
    #expect(lines.removeFirst() == "audiosession watch podcast &")
    let script = """
      audiosession watch podcast --json > events & watch=$!
      seen() { until grep -q "\\"$1\\"" events; do kill -0 $watch || exit 9; sleep 0.02; done; }
      seen applied
      \(lines[0])
      seen devicesChanged
      \(lines[1...2].joined(separator: "\n"))
      seen serverReset
      tries=0
      until grep -q "\\"conflict\\"" events; do
        tries=$((tries + 1)); echo try; [ $tries -le 15 ]; \(lines[3])
      done
      kill $watch
      """
    #expect(lines.count == 4)
    try await run("\(start) -- sh -e -c '\(script)'", cards: cards) { result in
      #expect(result.status == 0, "\(result)")
      noteTries(result.standardOutput, of: 15)
    }
  }

  @Test("the daily ones succeed", .simulatedCard, .timeLimit(.minutes(10)))
  func daily() async throws {
    let lines = try Self.block("daily use")
    #expect(lines.count > 8)
    // 3 is a finding of doctor, or of verify on a busy machine.
    let script = lines.map { line in
      let command = line.split(separator: "#")[0]
      return "\(command)|| [ $? -eq 3 ] || { echo \"\(command)\" >&2; exit 1; }"
    }
    try await run(
      "audiosession sandbox -- sh -c '\(script.joined(separator: "\n").replacing("'", with: ""))'",
      cards: true
    ) { result in
      #expect(result.status == 0, "\(result)")
    }
  }
}
