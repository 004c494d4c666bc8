import Pulse
import SessionCore

/// What a request without an answer says of its connection.
extension LiveServer {
  /// How long an answer may take.
  func answerTime(_ deadline: Deadline) -> Duration {
    snapshot.has(.deafConnections) ? min(deadline.remaining, .seconds(5)) : deadline.remaining
  }

  /// Takes a connection that left a request without an answer for lost, where the server answers others.
  ///
  /// On PipeWire at once: such a connection may never get an answer again (so it is now and then after
  /// WirePlumber was restarted, with 0.3.65), while a new one does. PulseAudio answers in order: it may
  /// be frozen as a whole, and what it was asked must be followed by its undoing on the same
  /// connection. Another connection tells.
  func noteSilence(_ error: PulseError, after patience: Duration) {
    // A request that had hardly any time left says nothing.
    guard error.code == .timedOut, lost == nil, patience > .seconds(1) else { return }
    if snapshot.has(.deafConnections) {
      endSilent("\(error)")
    } else if !isProbing {
      isProbing = true
      Task { [weak self] in await self?.probe(after: "\(error)") }
    }
  }

  private func probe(after words: String) async {
    defer { isProbing = false }
    let time = Duration.seconds(2)
    guard
      let other = try? await PulseClient.connect(
        to: address, name: "audiosession", timeout: time, loop: client.loop)
    else { return }
    let isAnswered = (try? await other.serverInfo(timeout: time)) != nil
    await other.close()
    guard isAnswered, lost == nil else { return }
    do throws(PulseError) {
      _ = try await client.serverInfo(timeout: time)
    } catch {
      if error.code == .timedOut, lost == nil { endSilent(words) }
    }
  }

  private func endSilent(_ words: String) {
    end(SessionError(.serverLost, stage: .server, "the connection fell silent: \(words)"))
  }
}
