internal import Glibc
internal import POSIX

/// A connection that carries lists of words.
final class PacketConnection: Sendable {
  private let socket: Descriptor

  var raw: Int32 { socket.raw }

  init(_ socket: consuming Descriptor) { self.socket = socket }

  func send(_ words: [String]) {
    // File names and the server's names contain no zero byte.
    socket.send(words.joined(separator: "\0").utf8)
  }

  func send(_ error: SandboxError) {
    send(
      [error.code.rawValue, error.message, error.remedy ?? "", error.value ?? ""]
        + error.alternatives)
  }

  /// The next packet, which must have arrived; nil at the end.
  func receive() -> [String]? {
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = recv(raw, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    return bytes[..<count].split(separator: 0, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
