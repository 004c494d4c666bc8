import POSIX
import Pulse
import PulseTypes
import SessionCore

/// PipeWire's defaults, which WirePlumber chooses and pipewire-pulse reports.
extension LiveServer {
  /// Repeats the setting of a default that had no effect, until it has, the deadline passes, or
  /// another program has changed it back so often that this is a conflict. Returns how often another
  /// program did; 0 if the default is in effect.
  ///
  /// Occasionally (1 in 80 under heavy load, 0.3.65) pipewire-pulse keeps reporting the former
  /// default to a client; a new connection gets the right one. WirePlumber also misses a default
  /// that is set while it starts; setting the same one again is no change, so another one is set in
  /// between. A default that is missed brings no event; one that another program changes back does.
  ///
  /// - Parameter changes: the server's reports of another default before the first write.
  func insist(
    on step: Step, at place: StepPlace, since changes: Int, limit: Deadline, _ deadline: Deadline
  ) async throws(SessionError) -> Int {
    var (changes, rivals, isMet) = (changes, 0, false)
    while !isMet, rivals < ConflictDetector.limit, snapshot.place(of: step) == place,
      !limit.hasPassed
    {
      do throws(PulseError) {
        let info = try await freshServerInfo(deadline)
        var snapshot = snapshot
        snapshot.server = info
        if snapshot.satisfies(step) {
          isMisled = true
          doubt()
        } else if case .name(let now) = snapshot.value(of: step.setting) {
          if reports(of: step) != changes { rivals += 1 }
          changes = reports(of: step)
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
      isMet = try await wait(
        deadline: patience(for: step, limit), answer: deadline
      ) { $0.satisfies(step) }
    }
    return isMet ? 0 : rivals
  }

  /// Compares the defaults with those that a new client gets; true if they differ, and the next
  /// refresh reads them again. If the server has stopped reporting them to this connection, each
  /// read asks a new client from now on.
  ///
  /// A server that is too busy for one more client is asked again at the next check.
  func findsOtherDefaults() async -> Bool {
    let deadline = Deadline(after: Self.freshPatience)
    guard var fresh = try? await freshServerInfo(deadline),
      fresh.defaults != snapshot.server.defaults
    else { return false }
    if !isMisled {
      // The event of a change may be on its way, and another change may have come since.
      guard (try? await reread(deadline: deadline)) != nil,
        let later = try? await freshServerInfo(deadline)
      else { return false }
      guard later.defaults != snapshot.server.defaults else { return true }
      (fresh, isMisled) = (later, true)
    }
    lastFresh = (fresh, .now)
    doubt()
    return true
  }

  /// As ``freshServerInfo(_:)``, but at most a few times a second: each costs the server a new
  /// client, and a wait reads often. If the server is too busy for one more client, the last answer
  /// counts, so that other settings can be read and restored.
  func recentServerInfo(_ deadline: Deadline) async throws(PulseError) -> ServerInfo {
    if let lastFresh, lastFresh.at.duration(to: .now) < .milliseconds(300) { return lastFresh.info }
    do throws(PulseError) {
      let info = try await freshServerInfo(
        lastFresh == nil ? deadline : Deadline(after: min(deadline.remaining, Self.freshPatience)))
      lastFresh = (info, .now)
      return info
    } catch {
      guard let lastFresh else { throw error }
      return lastFresh.info
    }
  }

  /// How long a connection may take that is made for one answer.
  private static var freshPatience: Duration { .seconds(2) }

  /// The server's information as a new client gets it.
  func freshServerInfo(_ deadline: Deadline) async throws(PulseError) -> ServerInfo {
    let other = try await Self.client(
      to: address, name: "Audio session", loop: client.loop, deadline: deadline)
    let info = await outcome { () throws(PulseError) in
      try await other.serverInfo(timeout: deadline.remaining)
    }
    await other.close()
    return try info.get()
  }
}

extension ServerInfo {
  fileprivate var defaults: [String?] { [defaultSourceName, defaultSinkName] }
}
