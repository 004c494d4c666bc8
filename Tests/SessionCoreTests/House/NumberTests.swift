import Foundation
import PulseTypes
import TestSupport
import Testing

/// A number from a file, a server or a sample can be anything.
@Suite struct NumberTests {
  /// The words with which `Int(number)` and its like end a process whose number does not fit. A debug
  /// build has them in each object file with such a conversion.
  private static let words = Data("value cannot be converted to ".utf8)

  private static let modules = [
    "JSONCoding", "PulseTypes", "Pulse", "SessionCore", "SessionProfiles", "AudioSession",
    "AudioStreams", "audiosession",
  ]

  /// The source files of a module in which a floating-point number is converted so.
  private func trapping(_ module: String, sources: String) -> [String] {
    let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "\(module).build")
    let objects = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    let files = FileManager.default.enumerator(atPath: sources)?.compactMap { $0 as? String } ?? []
    // The object of a file that was renamed may still be there.
    let names = Set(files.map { URL(filePath: $0).lastPathComponent + ".o" })
    return (objects ?? []).filter { object in
      guard names.contains(object) else { return false }
      let bytes = try? Data(contentsOf: folder.appending(path: object), options: .alwaysMapped)
      return bytes?.range(of: Self.words) != nil
    }
  }

  private var root: URL { URL(filePath: packageFolder) }

  @Test func `no conversion of a floating-point number can end the process`() {
    for module in Self.modules {
      let sources = root.appending(path: "Sources/\(module)").path
      #expect(
        trapping(module, sources: sources) == [],
        "\(module): use Int(saturating:), Int(exactly:) or Duration(saturatingSeconds:)")
    }
    #if DEBUG
      // This file has one itself: without it, the search would prove nothing.
      #expect(Self.whole(1.5) == 1)
      #expect(
        trapping("SessionCoreTests", sources: root.appending(path: "Tests/SessionCoreTests").path)
          .contains("NumberTests.swift.o"))
    #endif
  }

  private static func whole(_ number: Double) -> Int { Int(number) }

  @Test func `a conversion saturates`() {
    #expect(Int(saturating: 1e300) == .max)
    #expect(Int(saturating: -1e300) == .min)
    #expect(UInt32(saturating: -0.6) == 0)
    #expect(Int(saturating: Double.nan) == 0)
    #expect(Int(saturating: 2.5) == 3)
    #expect(Int64.max.addingSaturating(1) == .max)
    #expect(Duration(saturatingSeconds: 1e300) == .seconds(3_200_000_000))
    #expect(Duration(saturatingSeconds: .nan) == .zero)
    #expect(Volume(fraction: .nan) == .muted)
    #expect(Volume(fraction: 1e300) == .maximum)
    #expect(Volume(decibels: .infinity) == .maximum)
  }

  @Test func `a duration of any length has components`() {
    for duration in [Duration(attoseconds: .max), Duration(attoseconds: .min), .seconds(Int64.max)]
    {
      #expect(abs(duration.seconds) > 9e12)
      #expect(duration.microseconds.magnitude >= .max / 2)
    }
    #expect(Duration.milliseconds(-1500).microseconds == -1_500_000)
    #expect(Duration.milliseconds(-1500).seconds == -1.5)
  }
}
