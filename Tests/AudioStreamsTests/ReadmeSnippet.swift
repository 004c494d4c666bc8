import Glibc

/// The code that README.md shows after a mark, and the code of a test between two.
enum ReadmeSnippet {
  /// The lines of README.md's block after a mark, with its imports.
  static func shown(after mark: String) -> [String] {
    let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return lines(of: root + "/README.md", after: "<!-- \(mark) -->", until: "```")
  }

  /// The same, made from the lines of a test file between the marks `// mark: begin` and `end`.
  static func tested(in file: String, _ mark: String) -> [String] {
    let code = lines(of: file, after: "// \(mark): begin", until: "// \(mark): end")
    return ["```swift", "import AudioSession", "import AudioStreams", ""] + code
  }

  private static func lines(of path: String, after begin: String, until end: String) -> [String] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var result: [String] = []
    var isInside = false
    var buffer = [CChar](repeating: 0, count: 4096)
    while fgets(&buffer, Int32(buffer.count), file) != nil {
      let text = buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
      let line = text.hasSuffix("\n") ? String(text.dropLast()) : text
      if isInside, line == end { return result }
      if isInside { result.append(line) }
      if line == begin { isInside = true }
    }
    return result
  }
}
