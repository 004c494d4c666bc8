import AudioSession

/// A connected device that delivers nothing, as after a resume from sleep, or a frozen server: the
/// tap stays open, because sound may come again at any time, and the capture reports the silence.
extension AudioCapture {
  /// How long a tap delivers nothing before the capture reports it; devices deliver at least every 2 s.
  package static let stallPatience = Duration.seconds(5)

  /// Watches whether frames arrive, until the task is cancelled.
  func watchDelivery(_ tapID: UInt64, _ pulse: TapPulse) -> Task<Void, Never> {
    Task { [weak self, session] in
      var isStalled = false
      var asked = ContinuousClock.now
      while !Task.isCancelled {
        let quiet = Duration.nanoseconds(HostClock.nanoseconds - pulse.last.frames)
        if (quiet >= Self.stallPatience) != isStalled {
          isStalled.toggle()
          await self?.noteDelivery(isStalled ? quiet : nil, tapID)
        }
        if isStalled, .now - asked >= Self.stallPatience {
          await self?.askServer(tapID)
          asked = .now
        }
        // A stall is looked for rarely, its end often.
        let pause = isStalled ? .zero : Self.stallPatience - quiet
        try? await session.sleep(until: .now + max(pause, .milliseconds(250)))
      }
    }
  }

  /// Notes whether it is the server that is stuck. Not in turn: a stop need not wait for the answer.
  private func askServer(_ tapID: UInt64) async {
    var isAway = false
    do throws(StreamError) {
      _ = try await snapshot()
    } catch {
      isAway = error.isServerAway || error.isTimedOut
    }
    if isCurrent(tapID), run?.awaySince != nil { noteServer(isAway: isAway) }
  }

  /// Notes for how long nothing has come; nil once frames arrive again.
  private func noteDelivery(_ quiet: Duration?, _ tapID: UInt64) async {
    await react { capture in
      guard capture.isCurrent(tapID), let run = capture.run else { return }
      guard let quiet else {
        capture.run?.awaySince = nil
        capture.noteServer(isAway: false)
        return capture.set(.streaming)
      }
      capture.run?.awaySince = .now - quiet
      capture.noteSilence(since: run.pipeline.pulse.last.frames)
      let name = capture.run?.input.map { "'\($0)'" } ?? "the input"
      capture.emit(.error(.silent(name, quiet)))
      capture.set(.interrupted)
    }
  }
}
