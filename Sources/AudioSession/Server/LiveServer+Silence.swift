import Pulse
import SessionCore

/// What a missing answer means for the connection.
extension LiveServer {
  /// The time limit of an answer.
  func answerTime(_ deadline: Deadline) -> Duration {
    snapshot.has(.deafConnections) ? min(deadline.remaining, .seconds(5)) : deadline.remaining
  }

  /// Treats a connection as lost if a request got no answer although the server answers others.
  ///
  /// On PipeWire at once: such a connection may never get an answer again (sometimes after a
  /// restart of WirePlumber, with 0.3.65), while a new one does. PulseAudio answers in order: the
  /// whole server may be frozen, and a request must be undone on the same connection. Another
  /// connection shows which it is.
  func noteSilence(_ error: PulseError, after patience: Duration) {
    // A request with hardly any time left proves nothing.
    guard error.code == .timedOut, lost == nil, patience > .seconds(1) else { return }
    if snapshot.has(.deafConnections) {
      endSilent("\(error)")
    } else if !isProbing {
      isProbing = true
      client.loop.task { [weak self] in await self?.probe(after: "\(error)") }
    }
  }

  private func probe(after words: String) async {
    defer { isProbing = false }
    let time = Duration.seconds(2)
    let fresh = try? await freshServerInfo(Deadline(after: time * 2))
    guard fresh != nil, lost == nil else { return }
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
