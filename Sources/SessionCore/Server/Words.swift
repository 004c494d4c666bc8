import PulseTypes

/// Values in the words that people read.
package enum Words {
  /// `10 ms`, `5.8 ms`.
  package static func milliseconds(_ duration: Duration) -> String {
    let micros = duration.microseconds.magnitude
    let tenths = micros / 100 + (micros % 100 >= 50 ? 1 : 0)
    let sign = duration < .zero ? "-" : ""
    let fraction = tenths % 10 == 0 ? "" : ".\(tenths % 10)"
    return "\(sign)\(tenths / 10)\(fraction) ms"
  }

  /// `80 %`, or one value per channel if they differ.
  static func volume(_ volumes: ChannelVolumes) -> String {
    guard let first = volumes.values.first else { return "none" }
    if volumes.isUniformly(first) { return first.description }
    return volumes.values.map(\.description).joined(separator: " / ")
  }

  /// A word in a shell's syntax: in single quotes if necessary.
  package static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { $0.isBare || "/.+:@%=,".utf8.contains($0) }
    if isPlain, !word.isEmpty { return word }
    return "'"
      + word.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "'\\''") + "'"
  }

  /// A command for the server at an address; without one for the environment's.
  package static func command(_ command: String, on address: String?) -> String {
    guard let address else { return command }
    let server = "--server=\(quoted(address))"
    if command.hasPrefix("pactl ") { return "pactl \(server) " + command.dropFirst(6) }
    guard command.hasPrefix("audiosession ") else { return command }
    // Before what is no option.
    let words = command.prefix { $0 != "'" }
    let end = words.firstRange(of: " -- ")?.lowerBound ?? command.endIndex
    return "\(command[..<end]) \(server)\(command[end...])"
  }

  /// `1 step`, `2 steps`.
  package static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)" + (count == 1 ? "" : "s")
  }

  /// `a, b and c`.
  package static func list(_ words: [String], last: String = "and") -> String {
    guard words.count > 1, let end = words.last else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " \(last) " + end
  }

  /// The words of a name of Swift's: `preferredInput` as `preferred input`.
  package static func spaced(_ name: String) -> String {
    // By bytes: the rows of all properties are made with every start.
    var bytes: [UInt8] = []
    for byte in name.utf8 {
      let isUpper = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
      if isUpper { bytes.append(UInt8(ascii: " ")) }
      bytes.append(isUpper ? byte | 0x20 : byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
