import AudioSession
import Glibc
import POSIX
import Pulse
import PulseSandbox
import TestSupport
import Testing

// README example: begin
/// Prepares for recording; returns the preferences that are not in effect, each with its reason.
func prepare(_ session: AudioSession) async throws -> [String] {
  var mode = AudioMode(category: .record)
  mode.preferredInput = [.properties(["device.bus": "usb"]), .default]
  mode.sampleRate = 48000
  mode.ioBufferDuration = .milliseconds(10)
  mode.inputGain = Volume(fraction: 0.8)
  do throws(SessionError) {
    // Applied and read back; or an error is thrown, and nothing is changed. Unmet hints are in the state.
    try await session.setAudioMode(mode)
  } catch {
    print(error.code, error.message)
    error.alternatives.forEach { print("  \($0)") }
    throw error
  }
  let state = try await session.getSessionState()
  return state.properties.compactMap { name, report in
    report.reason.map { "\(name) is \(report.verdict): \($0)" }
  }
}
// README example: end

@Suite("The example of README.md", .timeLimit(.minutes(10)))
struct ReadmeTests {
  @Test("runs on a real server", .server)
  func runs() async throws {
    try await Rig.with { rig in
      let unmet = try await prepare(rig.session)
      // The demo's USB microphone has another rate only where no simulated card was built.
      #expect(unmet.allSatisfy { $0.hasPrefix("sampleRate is unreachable") }, "\(unmet)")
      let seen = try await rig.outside.snapshot()
      let input = try #require(seen.chain.defaultRoot(.input))
      #expect(input.properties["device.bus"] == "usb")
      #expect(input.volume.isUniformly(Volume(fraction: 0.8)))
      #expect(input.configuredLatency == .milliseconds(10))
    }
  }

  @Test("fails with what there is where the machine has no input", .server)
  func explains() async throws {
    try await Rig.with(.monitorOnly) { rig in
      await #expect { try await prepare(rig.session) } throws: { error in
        let error = error as? SessionError
        return error?.code == .inputNotAvailable && error?.alternatives.isEmpty == false
      }
    }
  }

  @Test("is the code that is tested")
  func isTheSame() {
    let example = Self.lines(
      of: #filePath, after: "// README example: begin", until: "// README example: end")
    let readme = packageFolder + "/README.md"
    let shown = Self.lines(of: readme, after: "<!-- example -->", until: "```")
    #expect(!example.isEmpty)
    #expect(shown == ["```swift", "import AudioSession", ""] + example)
  }

  @Test("is beside links that lead to files", arguments: ["README.md", "MAINTENANCE.md"])
  func links(_ document: String) {
    let lines = Self.lines(of: "\(packageFolder)/\(document)", after: nil, until: nil)
    #expect(!lines.isEmpty)
    for target in lines.flatMap({ $0.split(separator: "](").dropFirst() }) {
      let path = target.prefix { $0 != ")" && $0 != "#" }
      #expect(access("\(packageFolder)/\(path)", F_OK) == 0, "\(path)")
    }
  }

  /// The lines of a file between two that are exactly the marks; without marks, all.
  private static func lines(
    of path: String, after begin: String?, until end: String?
  ) -> [String] {
    var result: [String] = []
    var isInside = begin == nil
    for line in File.text(path).split(separator: "\n", omittingEmptySubsequences: false).map(
      String.init)
    {
      if isInside, line == end { return result }
      if isInside { result.append(line) }
      if line == begin { isInside = true }
    }
    return result
  }
}
