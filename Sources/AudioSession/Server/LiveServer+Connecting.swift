import Logging
import POSIX
import Pulse
import PulseTypes
import SessionCore

extension LiveServer {
  /// Connects, subscribes, and then reads the first snapshot, so that no change is lost.
  static func connect(
    to address: String?, name: String, loop: PulseLoop, deadline: Deadline, logger: Logger?
  ) async throws(SessionError) -> LiveServer {
    do throws(PulseError) {
      let client = try await client(
        to: address, name: name, loop: loop, deadline: deadline, logger: logger)
      // The events between the subscription and the first snapshot.
      let events = Guarded<[PulseEvent]>([])
      await client.setEventHandler { event in events.withLock { $0.append(event) } }
      var snapshot = try await client.subscribedSnapshot(timeout: deadline.remaining)
      var codecless: Set<String> = []
      try await addCodecs(
        of: client, to: &snapshot, since: nil, codecless: &codecless, deadline: deadline)
      let server = LiveServer(
        client, await client.serverAddress ?? address ?? "default", snapshot.attributed)
      await server.listen(events)
      return server
    } catch {
      throw SessionError(error)
    }
  }

  /// Connects, with repeated attempts and growing time limits, because a busy pipewire-pulse 0.3.65
  /// may never answer one connection, but the next one at once. Also repeats if so many programs
  /// connect at once that the socket's backlog is full (PulseAudio's has five places).
  static func client(
    to address: String?, name: String, loop: PulseLoop, deadline: Deadline, logger: Logger? = nil
  ) async throws(PulseError) -> PulseClient {
    var patience = Duration.seconds(1)
    var pauses = Pauses(from: .milliseconds(2), upTo: .milliseconds(50))
    while true {
      let isLast = patience >= deadline.remaining
      do throws(PulseError) {
        return try await PulseClient.connect(
          to: address, name: name, properties: ["application.id": Owned.applicationID],
          timeout: isLast ? deadline.remaining : patience, loop: loop, logger: logger)
      } catch {
        if error.code == .connectionRefused, let place = error.address ?? address,
          ServerSocket.hasListener(place)
        {
          guard !deadline.hasPassed, !Task.isCancelled else {
            throw PulseError(
              deadline.hasPassed ? .timedOut : .cancelled, error.operation, address: error.address)
          }
          await Deadline(after: min(pauses.next(), deadline.remaining)).pass(on: loop)
          continue
        }
        guard error.code == .timedOut, !isLast else { throw error }
        logger?.debug("no answer to connecting", metadata: ["after": "\(patience)"])
        patience = patience * 2
      }
    }
  }
}
