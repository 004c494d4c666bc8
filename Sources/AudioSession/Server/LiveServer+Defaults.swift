import Pulse
import PulseTypes
import SessionCore

/// PipeWire's defaults, which WirePlumber chooses and pipewire-pulse reports.
extension LiveServer {
  /// Sets a default again that did not take effect; true if it then does.
  ///
  /// Occasionally (1 in 80 under heavy load, 0.3.65) pipewire-pulse keeps reporting the former
  /// default to a client; a new connection gets the right one. WirePlumber also misses a default
  /// that is set while it starts; setting the same one again is no change, so another one is set in
  /// between.
  func setDefaultAgain(_ step: Step, _ deadline: Deadline) async throws(SessionError) -> Bool {
    do throws(PulseError) {
      let info = try await freshServerInfo(deadline)
      var snapshot = snapshot
      snapshot.server = info
      if snapshot.satisfies(step) {
        isMisled = true
        doubt()
      } else if case .name(let now) = snapshot.value(of: step.setting) {
        let back = Step(
          phase: step.phase, property: step.property, setting: step.setting, from: step.to,
          to: .name(now), why: step.why)
        try await write(back, deadline)
        try await write(step, deadline)
      }
    } catch {
      doubt()
      throw SessionError(error)
    }
    return try await wait(
      deadline: patience(for: step, deadline), answer: deadline
    ) { $0.satisfies(step) }
  }

  /// The server's information as a new client gets it.
  func freshServerInfo(_ deadline: Deadline) async throws(PulseError) -> ServerInfo {
    let other = try await Self.client(
      to: address, name: "Audio session", loop: client.loop, deadline: deadline)
    do throws(PulseError) {
      let info = try await other.serverInfo(timeout: deadline.remaining)
      await other.close()
      return info
    } catch {
      await other.close()
      throw error
    }
  }
}
