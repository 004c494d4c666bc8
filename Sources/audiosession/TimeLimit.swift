import ArgumentParser
import PulseTypes

/// A time as people write it: `500ms`, `5s`, `1.5 s`, `1m`, or plain seconds.
struct TimeLimit: ExpressibleByArgument, CustomStringConvertible, Sendable, Equatable {
  let duration: Duration
  let description: String

  /// The default time limit of a command.
  static let standard = TimeLimit(argument: "5s")!

  init?(argument: String) {
    let number = argument.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let unit = argument[number.endIndex...].drop { $0 == " " }
    guard let value = Double(number), let seconds = Self.seconds(of: unit) else { return nil }
    let total = value * seconds
    // A day is longer than anything here takes, and far from any overflow.
    guard total >= 0.001, total <= 86_400 else { return nil }
    duration = .microseconds(Int64(saturating: total * 1_000_000))
    description = argument
  }

  private static func seconds(of unit: Substring) -> Double? {
    switch unit {
    case "ms": 0.001
    case "", "s": 1
    case "m", "min": 60
    case "h": 3600
    default: nil
    }
  }
}
