import Glibc
import POSIX
import Testing

@testable import audiosession

@Suite("Hearing that a process is ready")
struct NotifyListenerTests {
  private func send(_ text: String, to name: String) throws {
    let socket = try unixSocket(SOCK_DGRAM)
    let bytes = Array(text.utf8)
    _ = UnixAddress(name)?.with { sendto(socket.raw, bytes, bytes.count, 0, $0, $1) }
  }

  @Test("a message counts that the process itself sent, and its place cannot be guessed")
  func sender() async throws {
    let listener = try NotifyListener()
    let other = try NotifyListener()
    #expect(listener.address != other.address)
    #expect(!listener.address.contains(String(getpid())))
    // This process is another's child, as far as this listener knows.
    try send("READY=1", to: listener.address)
    #expect(await listener.waitForReady(of: 1, atMost: .milliseconds(60)) == false)
    try send("READY=1", to: listener.address)
    #expect(await listener.waitForReady(of: getpid(), atMost: .seconds(10)))
  }
}
