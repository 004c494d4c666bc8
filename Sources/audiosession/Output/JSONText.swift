import AudioSession
import JSONCoding

/// JSON as the program prints it: keys as documented, two spaces a level, short lists on one line.
enum JSONText {
  static func encode(_ value: some Encodable, isOneLine: Bool = false) throws -> String {
    // A terminal would act on hidden characters, which JSON allows.
    let style = JSON.Style.shown(isOneLine: isOneLine, isEscaped: \.isHidden)
    return String(decoding: try JSON.encode(value, style), as: UTF8.self) + "\n"
  }
}
