import AudioSession
import JSONCoding
import SessionProfiles

/// `watch --auto`: checks the devices after each change, and applies the profile that they call
/// for. Only its start may unmute an input.
actor AutoSwitch {
  private let session: AudioSession
  private let output: Output
  private let printing: PrintQueue
  /// For what the user asks for: a change of devices interrupts no other holder.
  private let options: AudioSession.ActivationOptions
  private let began = ContinuousClock.now
  private var choice = ProfileSwitch()
  /// What the last attempt of the start has chosen, which may be none; nil before the first one.
  private var lastStart: String??
  private var alarm: Task<Void, Never>?
  /// Whether another process has the session.
  private var isTakenOver = false
  /// The last switch, if it failed and may work later.
  private var failed: FailedSwitch?
  private var backoff = StartBackoff()
  /// The profiles without mistakes, as they were read last: a file that has mistakes now changes
  /// nothing.
  private var known: [String: Profile] = [:]
  private var broken: [ProfileListing] = []
  /// The mistakes that were reported and are still there.
  private var reported: Set<String> = []

  private struct FailedSwitch {
    let profile: String?
    /// When it is tried again.
    let due: Duration
    /// The mode that stayed in effect.
    let kept: AudioMode?
  }

  init(
    _ session: AudioSession, _ output: Output, _ printing: PrintQueue,
    options: AudioSession.ActivationOptions
  ) {
    self.session = session
    self.output = output
    self.printing = printing
    self.options = options
  }

  /// Applies the profile that the devices call for now; without one, holds the stored mode.
  func start() async throws -> ApplyReport {
    choice.note(try await session.snapshot(), at: now)
    let detection = try decide()
    let isNews = lastStart != .some(detection?.chosen)
    let isFirst = lastStart == nil
    lastStart = .some(detection?.chosen)
    guard let detection else {
      if isNews {
        let note = nothingFits
        printing.add { [output] in output.note(note) }
      }
      return try await session.hold(options: options)
    }
    do {
      let profile = try Profile.found(detection.chosen ?? "")
      if isNews { show(detection) }
      let report = try await session.start(
        profile.mode, profile: profile.name, options: options)
      if isNews, !isFirst, report.state.profile != profile.name {
        // What was applied meanwhile was for other devices than these.
        choice.forget(at: now)
        schedule()
      }
      return report
    } catch {
      // The next attempt chooses it again.
      choice.forget(at: now)
      throw error
    }
  }

  /// Handles the session's events: a change of devices calls for a look.
  func note(_ event: SessionEvent) async {
    switch event {
    case .devicesChanged, .serverReset:
      guard let snapshot = try? await session.snapshot() else { return }
      choice.note(snapshot, at: now)
      schedule()
    case .interruptionBegan(.takenOver):
      isTakenOver = true
      schedule()
    case .interruptionEnded:
      // What the devices have called for meanwhile.
      isTakenOver = false
      schedule()
    default: break
    }
  }

  /// Reads the profiles again and applies the matching one, even if it is the same.
  func reload() async {
    choice.forget(at: now)
    (failed, reported) = (nil, [])
    await look(options)
  }

  func stop() { alarm?.cancel() }

  private var now: Duration { ContinuousClock.now - began }

  private func schedule() {
    alarm?.cancel()
    guard !isTakenOver, let due = choice.nextLook else { return }
    let moment = began + due
    alarm = Task { [weak self, session] in
      guard (try? await session.sleep(until: moment)) != nil else { return }
      // Applying changes devices, which resets the alarm; that must not cancel the apply.
      Task { await self?.look() }
    }
  }

  private func look(_ options: AudioSession.ActivationOptions = []) async {
    // What a user applied or reverted meanwhile stays.
    if let failed, await session.modeInEffect != failed.kept {
      choice.remember(failed.profile)
      self.failed = nil
    }
    let detection: ProfileDetection?
    do throws(SessionError) { detection = try decide() } catch {
      // What a folder that cannot be read has may be what the devices call for.
      let isNews = reported.insert(error.message).inserted
      if isNews { printing.add { [output] in output.report(error, isOneLine: true) } }
      choice.postpone(until: now + .seconds(5))
      return schedule()
    }
    let isAgain = detection != nil && detection?.chosen == failed?.profile
    // Restoring the former mode changes devices, too, which must not shorten the pause.
    let isEarly = isAgain && failed.map { now < $0.due } ?? false
    if isEarly, let failed { choice.forget(at: failed.due) }
    // A device that is not stable yet needs another look, whatever this one's outcome.
    schedule()
    guard let detection, !isEarly else { return }
    if !isAgain { (failed, backoff) = (nil, StartBackoff()) }
    do {
      let profile = try Profile.found(detection.chosen ?? "")
      if !isAgain { show(detection) }
      try await session.adopt(profile.mode, profile: profile.name, options: options)
      failed = nil
    } catch let error as SessionError {
      await note(error, of: detection)
    } catch {
      // The previous mode stays; the next change of devices may call for another one.
      printing.add { [output] in output.report(error, isOneLine: true) }
    }
  }

  /// Reads the profiles, reports new mistakes, and decides. One that has mistakes now is chosen as
  /// before them, and its mistakes are the error of applying it.
  private func decide() throws(SessionError) -> ProfileDetection? {
    let reading = try ProfileInventory.whole()
    broken = reading.broken
    let former = broken.compactMap { known[$0.name] }
    let profiles = reading.readable + former
    known = Dictionary(profiles.map { ($0.name, $0) }) { first, _ in first }
    let detection = choice.decide(profiles, at: now)
    for broken in broken where broken.name != detection?.chosen {
      guard !reported.contains(broken.mistake) else { continue }
      let words = known[broken.name] == nil ? "left out" : "not read again"
      printing.add { [output] in output.warning("\(words): \(broken.mistake)") }
    }
    reported = Set(broken.map(\.mistake))
    return detection
  }

  /// Why no profile is applied.
  private var nothingFits: String {
    let fitting = broken.isEmpty ? "no profile" : "no profile that can be read"
    let name = ProfileDetection.defaultName
    return "\(fitting) fits the devices, and "
      + (broken.contains { $0.name == name }
        ? "the one called '\(name)' has mistakes" : "there is none called '\(name)'")
  }

  /// Reports the chosen profile.
  private func show(_ detection: ProfileDetection) {
    let (time, profile, ties) = (TimedEvent.now(.applied).time, detection.chosen, detection.ties)
    let points = detection.profiles.first { $0.name == profile && $0.fits }?.points
    printing.add { [output] in
      if output.isJSON {
        let line: JSONObject = [
          "time": time, "event": "profileChosen", "profile": profile, "points": points,
          "ties": ties,
        ]
        try? output.json(line, isOneLine: true)
      } else {
        let why = points.map { "\($0) points" } ?? "no other fits"
        let tie = ties.isEmpty ? "" : ", as many as " + ties.joined(separator: ", ")
        output.print(
          EventView.row(
            time, Span("profile", .bold), "\(profile ?? "") (\(why)\(tie))",
            width: output.terminal.width))
      }
    }
  }

  /// The previous mode stays. A switch that may work later is tried again, as at the start.
  private func note(_ error: SessionError, of detection: ProfileDetection) async {
    let pause = backoff.pause(after: error)
    if backoff.isNews(error) || pause == nil {
      printing.add { [output] in
        output.report(error, isOneLine: true, isTriedAgain: pause != nil)
      }
    }
    let kept = await session.modeInEffect
    failed = nil
    // The devices may call for another profile by now.
    guard let pause, choice.chosen == detection.chosen else { return }
    failed = FailedSwitch(profile: detection.chosen, due: now + pause, kept: kept)
    choice.forget(at: now + pause)
    schedule()
  }
}
