import Glibc

/// A time of the session's JSON, `2026-11-23T04:00:45.531Z`, for a person: in the local time zone.
struct LocalTime {
  /// `2026-11-23`; empty if the text is not a time.
  private(set) var date = ""
  /// `05:00:45`, or the text if it is not a time.
  private(set) var time: String
  /// `.531`
  private(set) var fraction = ""

  /// The time of day, as precise as it is known.
  var clock: String { time + fraction }
  var dateAndTime: String { date.isEmpty ? time : "\(date) \(time)" }

  /// `until 05:01:10`, or `for now` if the end is not known.
  static func until(_ end: String?) -> String {
    end.map { "until \(LocalTime($0).time)" } ?? "for now"
  }

  /// A sentence with its times in the local time zone.
  static func text(_ sentence: String) -> String {
    sentence.split(separator: " ", omittingEmptySubsequences: false).map { word -> String in
      guard let end = word.lastIndex(of: "Z") else { return String(word) }
      return LocalTime(String(word[...end])).dateAndTime + String(word[end...].dropFirst())
    }.joined(separator: " ")
  }

  init(_ text: String) {
    time = text
    let parts = text.split { !$0.isASCII || !$0.isNumber }
    let numbers = parts.prefix(6).compactMap { Int32($0) }
    guard text.hasSuffix("Z"), numbers.count == 6 else { return }
    var fields = tm()
    (fields.tm_year, fields.tm_mon, fields.tm_mday) = (
      numbers[0] &- 1900, numbers[1] &- 1, numbers[2]
    )
    (fields.tm_hour, fields.tm_min, fields.tm_sec) = (numbers[3], numbers[4], numbers[5])
    fraction = parts.count > 6 ? "." + parts[6] : ""
    var seconds = timegm(&fields)
    tzset()
    guard localtime_r(&seconds, &fields) != nil else { return }
    func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + "\(number)" }
    date = "\(Int(fields.tm_year) + 1900)-\(two(fields.tm_mon + 1))-\(two(fields.tm_mday))"
    time = [fields.tm_hour, fields.tm_min, fields.tm_sec].map(two).joined(separator: ":")
  }
}
