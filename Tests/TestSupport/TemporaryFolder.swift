internal import Glibc
internal import POSIX

/// A folder of the test's own, with files in it; it ends with its last reference.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() {
    var template = Array("/tmp/audiosession-test-XXXXXX".utf8CString)
    precondition(mkdtemp(&template) != nil, "no temporary folder")
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  deinit { Self.remove(path) }

  /// Writes a file, with the folders on the way, and returns its path.
  @discardableResult
  package func write(_ bytes: some Collection<UInt8>, to name: String) -> String {
    let file = path + "/" + name
    _ = try? Folder.make(String(file[..<file.lastIndex(of: "/")!]), mode: 0o755)
    precondition((try? File.write(bytes, to: file)) != nil, "cannot write \(file)")
    return file
  }

  /// Writes a text file.
  @discardableResult
  package func write(_ text: String, to name: String) -> String { write(text.utf8, to: name) }

  /// The text of a file; nil where there is none.
  package func text(_ name: String) -> String? {
    (try? File.bytes(of: "\(path)/\(name)")).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func remove(_ path: String) {
    for name in Folder.names(path) { remove("\(path)/\(name)") }
    Glibc.remove(path)
  }
}

extension Folder {
  /// The names in a folder without the hidden ones, sorted.
  package static func visibleNames(_ path: String) -> [String] {
    names(path).filter { !$0.hasPrefix(".") }.sorted()
  }
}
