import Foundation
import PulseTypes
import TestSupport
import Testing

@testable import SessionCore

/// Each thing has one room: what is known in one place is asked for by name everywhere else.
@Suite struct RoomTests {
  /// The lines of the sources that a pattern finds, as `path: line`, but for some targets and files.
  private func lines(
    _ pattern: String, in folder: String = "Sources", except rooms: [String]
  ) throws -> [String] {
    let sources = URL(filePath: packageFolder).appending(path: folder)
    let files = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String }
    let expression = try NSRegularExpression(pattern: pattern)
    var result: [String] = []
    for file in files ?? []
    where file.hasSuffix(".swift") && !rooms.contains(where: file.hasPrefix) {
      let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
      for match in expression.matches(in: text, range: NSRange(text.startIndex..., in: text)) {
        let line = Range(match.range, in: text).map { text[text.lineRange(for: $0)] } ?? ""
        result.append("\(file): \(line.trimmingCharacters(in: .whitespacesAndNewlines))")
      }
    }
    return result
  }

  @Test func `the kind of server is asked for in one place, and in five others at most`() throws {
    let rooms = [
      "SessionCore/Server/ServerTraits.swift", "PulseTypes/ServerInfo.swift", "PulseSandbox/",
      "audiosession-benchmark/",
    ]
    let places = try lines(#"server\.kind|== \.(pipewire|pulseaudio)\b"#, except: rooms)
    #expect(places.count <= 5, "\(places.joined(separator: "\n"))")
    #expect(try !lines(#"server\.kind"#, except: []).isEmpty)
  }

  @Test func `a test that tries again prints each try, and has a ceiling`() throws {
    // The lines in a loop are further in than its own.
    let inside = #"(?:\1  [^\n]*\n|\1\{\n|\n)*"#
    let leaves = #"\1  (?:(?:if|guard)\b[^\n]*\{ |  )?(?:break|return)\b"#
    let loops = [
      // It ends early, or goes on while something is not as it should be.
      #"for \w+ in \d+\.\.[.<](?![^\n]*EveryDay)[^\n]*\{\n(?=\#(inside)\#(leaves))"#,
      #"for \w+ in \d+\.\.[.<][^\n]* where (?!EveryDay)[^\n]*\{\n"#,
      #"while [^\n]*(?:\.count|\b(?:attempts|number|round|tries)) < [^\n]*\n"#,
      #"while listens, result[^\n]*\n"#,
    ].joined(separator: "|")
    let house = ["SessionCoreTests/House/RoomTests.swift"]
    let places = try lines(
      #"(?m)^( *)(?=(?:\#(loops))(?!\#(inside)\1 +noteTr))\S"#, in: "Tests", except: house)
    // Of these each turn has to succeed.
    let repetitions: Set = [
      "AudioSessionTests/Apply/ManyCallersTests.swift: for number in 1...60 {",
      "AudioSessionTests/Apply/RandomWalkTests.swift: for _ in 0..<Self.rounds {",
      "AudioSessionTests/Model/ModelFidelityTests.swift: while steps.count < 6 {",
      "AudioSessionTests/Servers/PipeWireFactTests.swift: "
        + "while refusal == nil, others.count < 65 {",
      "AudioSessionTests/Support/Proxy.swift: while bytes.count < count {",
      "AudioStreamsTests/Record/HostileSoundFileTests.swift: for _ in 0..<4 {",
      "AudioStreamsTests/Stream/StreamOwnerTests.swift: for _ in 0..<3 {",
      "AudioStreamsTests/Synthesizer/SynthKernelTests.swift: while parts.count < 9000 {",
      "SessionCoreTests/Planning/HostileSnapshotTests.swift: "
        + "for _ in 0..<3 where !server.snapshot.sources.isEmpty {",
      "SessionCoreTests/Simulation/Simulation.swift: for _ in 0..<actions where broken == nil {",
    ]
    #expect(Set(places) == repetitions)
    // The page TestPlan says 30 tries at most.
    let endless = #"noteTr(?:y|ies)\([^\n]*\bof: (?:3[1-9]|[4-9]\d|\d{3,})"#
    #expect(try lines(endless, in: "Tests", except: house) == [])
    #expect(try !lines("noteTry", in: "Tests", except: []).isEmpty)
  }

  @Test func `the frames of every stream of the tests of sound are watched`() throws {
    let folder = "Tests/AudioStreamsTests"
    #expect(try lines(#"PulseSandbox\.(with|start)\("#, in: folder, except: []) == [])
    #expect(try !lines(#"PulseSandbox\.watched\("#, in: folder, except: []).isEmpty)
  }

  /// Swift 6.3.1 copies the value that the chain leads into, waits, and writes back the copy: what has changed
  /// meanwhile is lost.
  @Test func `nothing is assigned through an optional chain that is waited for first`() throws {
    let pattern = #"\w\?\.[\w.?]+ [-+]?= [^\n]*\bawait\b"#
    #expect(try lines(pattern, except: []) == [])
    #expect(try !lines(pattern.replacing("await", with: "nil"), except: []).isEmpty)
  }

  @Test func `no property is named by a literal`() throws {
    // The same words are keys of a profile file, which the rows have.
    let names = Property.allCases.map(\.rawValue).joined(separator: "|")
    let commands = ["Show", "Save"].map { "audiosession/Commands/Profiles\($0)Command.swift" }
    // The keys of a profile's JSON (the whole mode), of the state's (where it applies) and of the file
    // beside a recording (its sound) are no properties.
    let keys = ["SessionCore/State/SessionState+Coding.swift", "AudioStreams/Record/Sidecar.swift"]
    let places = try lines(
      "\"(\(names))\"", except: ["SessionCore/Properties/"] + commands + keys)
    #expect(places == [])
    #expect(try !lines("\"(\(names))\"", except: []).isEmpty)
  }

  @Test func `no key of a profile is written by hand`() throws {
    // As in `gain = `, or within a sentence if no other word has its hyphen.
    let names = Set(Property.rows.map(\.name))
    let lines = #""(\#(names.joined(separator: "|"))) = "#
    let compound = names.filter { $0.contains("-") }.joined(separator: "|")
    let words = #"(?m)^(?!\s*//).*"[^"\n]*(?<![-\w])(\#(compound))\b"#
    let rooms = [
      "SessionCore/Properties/", "SessionCore/Mode/Hint.swift", "audiosession/Commands/",
      "audiosession-benchmark/",
    ]
    #expect(try self.lines(lines, except: rooms) == [])
    #expect(try self.lines(words, except: rooms) == [])
    #expect(try !self.lines(words, except: []).isEmpty)
  }

  @Test func `one switch leads to each setting, and one to each property`() throws {
    // Pairs, `case .rate, .latency:` and the like: a switch over settings is `Setting.kind`.
    let cases = ["cardProfile", "othersMute", "latencyOffset", "defaultDevice", "codec"]
    let pattern = "case \\(?\\.(\(cases.joined(separator: "|")))\\b.*:"
    #expect(try lines(pattern, except: ["SessionCore/Settings/Setting.swift"]) == [])
    #expect(try !lines(pattern, except: []).isEmpty)
  }

  @Test func `the list of a device's settings has every case for one`() throws {
    let pattern = #"^  case \w+\(Direction, device: String\)"#
    let cases = try lines("(?m)\(pattern)", except: []).filter { $0.contains("Setting.swift: ") }
    let device = try #require(SimulatedServer.laptop().snapshot.defaultDevice(.output))
    let names = Setting.all(of: device).map { "\($0)".prefix { $0 != "(" } }
    #expect(cases.count >= 5)
    #expect(Set(names) == Set(cases.compactMap { $0.split { " (".contains($0) }[2] }))
  }

  @Test func `every setting of the server's own values is tried`() throws {
    let cases = try lines(#"(?m)^  case \w+\b"#, except: []).filter {
      $0.contains("/Setting.swift: ")
    }
    let tried = SettingTests.plain(card: "card", input: "input", stream: 1).map(\.0)
    let hints: [Setting] = [.rate(.input, device: ""), .latency(.input, device: "")]
    let made: [Setting] = Setting.links
    let names = Set((tried + hints + made).map { String("\($0)".prefix { $0 != "(" }) })
    #expect(cases.count > 12)
    #expect(
      names
        == Set(
          cases.compactMap { $0.split { " (".contains($0) }.dropFirst(2).first.map(String.init) }))
  }

  @Test func `the random modes have every property of the state, but codecs`() {
    var found: Set<Property> = []
    for seed in 0..<400 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      let mode = random.mode()
      found.formUnion(Property.rows.filter { $0.isSet(mode) }.map(\.property))
    }
    #expect(Set(Property.reported).subtracting(found) == [.outputCodec])
  }

  @Test func `only what was read is applied`() throws {
    // The compiler keeps proofs and readings in one file, and reports and results in theirs.
    let makers = [
      #"\b(Reading|Proof)\("#: ["SessionCore/Evidence/Reading.swift", "AudioStreams/"],
      #"\bPropertyReport\("#: ["SessionCore/State/PropertyReport.swift"],
      #"\bStepResult\("#: ["SessionCore/Reconcile/StepResult.swift"],
      // An observer of the actual server, not of a predicted one.
      #"\bObserver\("#: ["SessionCore/State/SessionState.swift", "SessionCore/Reconcile/"],
      #"(verdict|outcome)\S* = \.applied|(verdict|outcome): \.applied|\? \.applied :"#: [],
    ]
    for (pattern, rooms) in makers {
      #expect(try lines(pattern, except: rooms) == [], "\(pattern)")
      #expect(try rooms.isEmpty || !lines(pattern, except: []).isEmpty, "\(pattern)")
    }
    // Who calls the factories has a proof.
    let calls = try lines(#"\.applied\("#, except: [])
    #expect(calls.count == 4 && calls.allSatisfy { $0.contains("proof") }, "\(calls)")
  }

  @Test func `every property has a row of its own, and a key of its own`() {
    for property in Property.allCases { #expect(property.row.property == property) }
    #expect(Set(Property.rows.map(\.key)).count == Property.allCases.count)
    #expect(Property.rows.allSatisfy { $0.aspect == nil || $0.aspect?.property == $0.property })
    let fields = Mirror(reflecting: AudioMode()).children.compactMap(\.label)
    #expect(Set(fields) == Set(Property.allCases.map(\.rawValue)))
  }
}
