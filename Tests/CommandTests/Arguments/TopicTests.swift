import AudioSession
import PulseSandbox
import TestSupport
import Testing

@testable import SessionProfiles
@testable import audiosession

/// The pages that are help, man pages and documentation at once.
@Suite("Topics of the manual", .timeLimit(.minutes(10)))
struct TopicTests {
  @Test("the profile page names every key of the format")
  func keys() throws {
    let text = try #require(Topic.named("profile")).text(.plain)
    for row in Property.rows { #expect(text.contains(row.name), "\(row.key)") }
  }

  @Test("the JSON page names every property, verdict and event")
  func names() throws {
    let text = try #require(Topic.named("json")).text(.plain)
    for name in Property.reported { #expect(text.contains(name.rawValue), "\(name)") }
    for event in JSONKeyTests.events {
      #expect(text.contains(event.key))
      for key in event.value { #expect(text.contains(key), "\(event.key) \(key)") }
    }
    for verdict in ["applied", "pending", "unreachable", "refused", "overridden", "unset"] {
      #expect(text.contains(verdict), "\(verdict)")
    }
  }

  @Test("no mark of Markdown is left", arguments: Topic.all.map(\.name))
  func marks(_ name: String) throws {
    let topic = try #require(Topic.named(name))
    let lines = topic.text(.plain).split(separator: "\n")
    #expect(lines.count > 30)
    for line in lines {
      for mark in ["`", "**", "<doc:", "| ", "#"] where !line.contains(" # ") {
        #expect(!line.contains(mark) || line.hasPrefix("  # "), "\(line)")
      }
      #expect(String(line).displayWidth <= 80, "\(line)")
    }
    let page = topic.manual
    #expect(page.hasPrefix(".TH AUDIOSESSION-\(name.uppercased()) \(topic.section) "))
    // A line that starts with a dot is a request.
    let requests = page.split(separator: "\n").filter { $0.hasPrefix(".") }
    let known = ["TH", "SH", "PP", "TP", "nf", "fi", "br", "BR", "nh", "ad"]
    for request in requests {
      #expect(known.contains { request.dropFirst().hasPrefix($0) }, "\(request)")
    }
  }

  @Test("help shows one without a server, and the commands as before", .server)
  func help() async throws {
    try await PulseSandbox.with(.empty) { sandbox in
      let result = try await sandbox.capture([builtProgram, "help", "profile"])
      #expect(result.status == 0)
      #expect(result.standardOutput == Topic.named("profile")?.text(.plain))
      for line in [
        "help profile --plain", "--plain help profile", "help profile --json",
        "--timeout 5s help profile",
      ] {
        let arguments = line.split(separator: " ").map(String.init)
        #expect(try await sandbox.capture([builtProgram] + arguments) == result, "\(line)")
      }
      let command = try await sandbox.capture([builtProgram, "help", "plan"])
      #expect(command.standardOutput.hasPrefix("OVERVIEW: "))
      let none = try await sandbox.capture([builtProgram, "manual", "nonsense"])
      #expect(none.status == 64)
    }
  }
}
