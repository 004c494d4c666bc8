import Glibc

/// A folder of the test's own, with files in it.
final class TemporaryFolder: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/profiles-test-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress, let made = mkdtemp(start) else { return "" }
      return String(cString: made)
    }
    precondition(!path.isEmpty, "no temporary folder")
  }

  deinit { remove(path) }

  /// Writes a file, with the folders on the way, and returns its path.
  @discardableResult
  func write(_ bytes: some Sequence<UInt8>, to name: String) -> String {
    let parts = name.split(separator: "/")
    for count in 1..<max(1, parts.count) {
      mkdir(path + "/" + parts.prefix(count).joined(separator: "/"), 0o755)
    }
    let file = path + "/" + name
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    precondition(descriptor >= 0, "cannot write \(file)")
    let bytes = Array(bytes)
    precondition(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
    close(descriptor)
    return file
  }

  /// Writes a text file.
  @discardableResult
  func write(_ text: String, to name: String) -> String { write(Array(text.utf8), to: name) }

  /// The names of the files in a folder, sorted.
  static func files(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// The bytes of a file; nil where there is none.
  static func bytes(of path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      bytes += buffer[..<count]
    }
    return bytes
  }

  private func remove(_ path: String) {
    if let directory = opendir(path) {
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != "." && name != ".." { remove(path + "/" + name) }
      }
      closedir(directory)
    }
    Glibc.remove(path)
  }
}
