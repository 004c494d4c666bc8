import Pulse
import PulseTypes
import SessionCore

/// PipeWire's defaults, which are WirePlumber's to choose and pipewire-pulse's to tell.
extension LiveServer {
  /// Sets a default that did not come true once more; true when it is so.
  ///
  /// Now and then (1 in 80 under heavy load, 0.3.65) pipewire-pulse goes on to tell a client the
  /// former default: a new connection knows better. And WirePlumber does not see one that was set
  /// while it started; the same one set again is no change, so another comes in between.
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

  /// What the server tells a new client.
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
