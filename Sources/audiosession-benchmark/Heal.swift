import AudioSession
import Glibc
import Pulse
import PulseSandbox

/// How long a setting that somebody changed stays changed, and how soon a killed server is as wished.
struct Heal {
  private let sandbox: PulseSandbox
  private let outside: PulseClient
  private let events: AsyncStream<PulseEvent>

  init(_ sandbox: PulseSandbox) async throws {
    self.sandbox = sandbox
    outside = try await PulseClient.connect(to: sandbox.address, name: "somebody")
    try await outside.subscribe(.server)
    events = await outside.events(bufferingNewest: 4096)
  }

  /// Changes the default so often, and takes the time until an outsider reads it as it was.
  ///
  /// Each begins in quiet, as a person's change does: what follows on the heels of another is a burst
  /// to the session, which waits for its end.
  func times(
    _ count: Int, from home: String, to other: String, between: () async throws -> Void
  ) async throws -> [Duration] {
    var result: [Duration] = []
    var iterator = events.makeAsyncIterator()
    for _ in 0..<count {
      let start = ContinuousClock.now
      try await outside.setDefaultSource(other)
      while try await outside.serverInfo().defaultSourceName != home {
        _ = await iterator.next()
      }
      result.append(ContinuousClock.now - start)
      try await between()
      try await ContinuousClock().sleep(for: .milliseconds(50))
    }
    return result
  }

  /// Waits until somebody puts the default back: a shell loop takes a while to listen.
  func awaitHealer(from home: String, to other: String) async throws {
    for _ in 0..<200 {
      // A default that is set again makes no event.
      try await outside.setDefaultSource(home)
      try await outside.setDefaultSource(other)
      for _ in 0..<200 where try await outside.serverInfo().defaultSourceName == home { return }
    }
    throw Process.Failure(description: "nobody puts the default back")
  }

  func close() async { await outside.close() }

  /// A shell loop that does the same, until it is told to end.
  static func shellLoop(_ home: String, _ sandbox: PulseSandbox) -> Task<Void, Never> {
    let script = """
      pactl subscribe | while read -r line; do
        case $line in *server*)
          [ "$(pactl get-default-source)" = \(home) ] || pactl set-default-source \(home);;
        esac
      done
      """
    return Task {
      _ = try? await sandbox.capture(["/bin/sh", "-c", script], timeout: .seconds(300))
    }
  }
}
