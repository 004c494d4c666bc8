import Glibc
import Testing

@testable import audiosession

@Suite("Hearing that a process is ready")
struct NotifyListenerTests {
  private func send(_ text: String, to name: String) {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: [0] + name.utf8.dropFirst())
    }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count)
    let bytes = Array(text.utf8)
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, bytes, bytes.count, 0, $0, length)
      }
    }
  }

  @Test("a message counts that the process itself sent, and its place cannot be guessed")
  func sender() async throws {
    let listener = try NotifyListener()
    let other = try NotifyListener()
    #expect(listener.address != other.address)
    #expect(!listener.address.contains(String(getpid())))
    // This process is another's child, as far as this listener knows.
    send("READY=1", to: listener.address)
    #expect(await listener.waitForReady(of: 1, atMost: .milliseconds(60)) == false)
    send("READY=1", to: listener.address)
    #expect(await listener.waitForReady(of: getpid(), atMost: .seconds(10)))
  }
}
