import Glibc
import TestSupport
import Testing

@testable import Pulse

/// Without `pp_poll` libpulse loops for ever if the server dies while a connection's shared ring buffer is set up.
@Suite(.needsPulseAudio, .timeLimit(.minutes(10)))
struct HandshakeTests {
  /// A loop that goes round only when the server has sent what it has to send; the server dies before round
  /// `last`.
  private final class SlowLoop: Sendable {
    let loop = PulseLoop()
    private let batches = Shared(0)
    private let server: PrivateServer
    private let last: Int

    init(_ server: PrivateServer, until last: Int) { (self.server, self.last) = (server, last) }

    func goRound() {
      batches.update { $0 += 1 }
      // Between two polls the thread runs sixteen batches of work.
      let (round, rest) = batches.value.quotientAndRemainder(dividingBy: 16)
      if rest == 0 {
        if round == last { server.end() } else { _ = poll(nil, 0, 2) }
      }
      guard round < last + 2 else { return }
      loop.thread.add(.call { [self] in goRound() })
    }
  }

  @Test func `a server that dies during the handshake ends the connection, and nothing hangs`()
    async throws
  {
    for last in 1...20 {
      let server = try await PrivateServer()
      let slow = SlowLoop(server, until: last)
      let client = Task { try? await server.connect(loop: slow.loop) }
      slow.goRound()
      _ = await client.value
      let isAlive = Shared(false)
      slow.loop.thread.add(.call { isAlive.update { $0 = true } })
      try await wait { isAlive.value }
    }
  }
}
