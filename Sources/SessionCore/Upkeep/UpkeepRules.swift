package import PulseTypes

/// When a holder looks at its server, what it does at a look, and what it remembers afterwards: all that
/// its detectors and timers know.
///
/// Pure: time is a parameter, counted from any fixed moment. Sessions and the simulation drive it; they
/// read the server, run the loops that it makes, and write the baselines that it returns.
package struct UpkeepRules: Sendable {
  package var pacer = Pacer()
  package var interruptions = InterruptionWatch()
  package var defaults = DefaultsCheck()
  package var restores = RestoreWatch()
  /// What no look has acted on yet.
  package var news: News = []
  /// What the current look acts on.
  private var takenNews: News = []
  package var conflicts = ConflictDetector()
  private var manager = ManagerWatch()
  var refused = RefusalBackoff()
  private var flaps = FlapDetector()
  private var arrivals = ArrivalWatch()
  var returns = ReturnWatch()
  /// What the last run left as the mode asks.
  private var seen = ForeignChanges()
  /// The server that the flap detector compared last.
  private var compared: ServerSnapshot?
  private var lastLook = Duration.zero
  /// What restorations have learned of hints while a holder has made no change, and remembers nothing else.
  var restorationMemory: HintMemory?

  package init() {}

  // MARK: When to look

  /// When to look next: at a change; or, later than the begin of the last look, at the end of a conflict's
  /// pause, or when a flapping device counts as stable, a returned one as settled or a suspended one as an
  /// interruption, or to request again what was refused, or to check the defaults.
  package var nextLook: Duration? {
    let time = lastLook
    return [
      pacer.nextLook, conflicts.nextEnd(after: time), flaps.nextEnd(after: time),
      returns.nextEnd(after: time), refused.nextEnd(after: time),
      interruptions.nextEnd(after: time), defaults.nextCheck,
    ].compactMap { $0 }.min()
  }

  /// Whether there is a reason to look that has come since the last look began.
  package func isDue(at now: Duration) -> Bool { nextLook.map { $0 <= now } ?? false }

  /// Notes the begin of a look, which covers all that has happened.
  package mutating func beginLook(at now: Duration) {
    // A device that flapped has become steady: what came with it is still to be acted on.
    if flaps.nextEnd(after: lastLook).map({ $0 <= now }) == true { news.insert(.otherDevices) }
    lastLook = now
    pacer.beginLook()
  }

  // MARK: What it sees

  /// Notes the server as a look has read it.
  package mutating func noteReading(_ snapshot: ServerSnapshot, at now: Duration) {
    manager.note(snapshot.sessionManager?.index, at: now)
  }

  /// The server was lost: after its restart every card is a new one.
  package mutating func noteLoss() {
    arrivals.noteLoss()
    returns.noteLoss()
  }

  /// The server has restarted, and its session manager, if it needs one, with it.
  package mutating func noteReset(_ snapshot: ServerSnapshot, at now: Duration) {
    if snapshot.has(.sessionManager) { manager.noteReset(at: now) }
  }

  /// Reports the connected devices to the flap detector and the watch for new cards. What is found to
  /// flap during a look, after its last plan was made, is looked at once more.
  ///
  /// - Returns: the devices and ports that flap now.
  @discardableResult
  package mutating func noteAttachments(
    _ snapshot: ServerSnapshot, at now: Duration
  ) -> Set<Attachment> {
    let former = flaps.unsteady(at: now)
    let isSame = compared?.surelyHasAttachments(of: snapshot) == true
    // Also if it has the same ones: lists that the next snapshot shares with it need no comparison.
    // Those of the former one are released at the end of a look, which keeps what was shown before.
    compared = snapshot
    guard !isSame else { return former }
    flaps.note(snapshot.attachments, at: now)
    arrivals.note(snapshot, at: now)
    let unsteady = flaps.unsteady(at: now)
    if unsteady != former { pacer.noteChange(at: now) }
    return unsteady
  }

  /// Follows the levels of devices; those that the server restores on a new device belong to its arrival.
  package mutating func noteLevels<Lock, Mode>(
    _ life: inout SessionLife<Lock, Mode>, in snapshot: ServerSnapshot, at now: Duration
  ) {
    life.held?.charges.follow(snapshot, at: now)
    if life.held?.charges.areRestored == true { news.insert(.otherDevices) }
  }

  /// Adds what is known of the devices to the input of a plan for upkeep.
  package func complete(_ input: inout PlanInput, at now: Duration) {
    guard !input.isExplicit else { return }
    input.unsteady = flaps.unsteady(at: now)
    input.decidedCards = arrivals.decided
  }

  // MARK: What it does

  /// Takes in what a look has read, and decides what it does.
  ///
  /// - Parameters:
  ///   - shown: the server in the state that was shown last.
  ///   - mode: the mode in effect, which calls and suspended devices interrupt.
  ///   - preferences: those of the declared mode, which decide when it is applied again.
  ///   - process: this process's id.
  /// - Returns: what the look does now, nil for nothing; and whether devices have come or gone
  ///   since the state that was shown last.
  package mutating func see<Lock, Mode>(
    _ snapshot: ServerSnapshot, after shown: ServerSnapshot?, _ life: inout SessionLife<Lock, Mode>,
    inEffect mode: AudioMode, preferences: AudioMode?, process: Int32, at now: Duration
  ) -> (work: Work<Mode>?, interruption: InterruptionWatch.Change?, hasOtherDevices: Bool) {
    let hasOtherDevices = shown.map { snapshot.hasOtherDevices(than: $0) } ?? false
    if hasOtherDevices { news.insert(.otherDevices) }
    noteReading(snapshot, at: now)
    noteAttachments(snapshot, at: now)
    noteLevels(&life, in: snapshot, at: now)
    let interruption = interruptions.note(snapshot, mode: mode, process: process, at: now)
    if interruption == .ended { news.insert(.interruptionEnd) }
    // Nothing is done while a device has just been suspended: that may become an interruption.
    if !interruptions.mayBeInterrupted { (takenNews, news) = (news, []) }
    return (work(life, preferences, news: takenNews, at: now), interruption, hasOtherDevices)
  }

  /// The look has done its work.
  ///
  /// - Returns: whether an interruption has ended and is to be reported now.
  package mutating func didWork() -> Bool {
    defer { takenNews = [] }
    return takenNews.contains(.interruptionEnd) && !interruptions.isInterrupted
  }

  /// The look has failed: the next one comes after a pause, and acts on the same news.
  package mutating func failLook(at now: Duration) {
    news.formUnion(takenNews)
    takenNews = []
    pacer.failLook(at: now)
  }

  /// What this look does; nil for nothing.
  package func work<Lock, Mode>(
    _ life: SessionLife<Lock, Mode>, _ preferences: AudioMode?, news: News = [],
    at now: Duration
  ) -> Work<Mode>? {
    switch life.duty {
    case .maintain(let mode):
      guard !interruptions.mayBeInterrupted else { return nil }
      guard (preferences?.reapply ?? .always).allows(news) else {
        return preferences?.duckingPolicy == nil ? nil : .treatOthers(mode)
      }
      // What PipeWire's session manager restores after its start is no user's choice, like what a
      // server restores: for a while volumes are restored, too.
      let isReset = news.contains(.reset) || manager.isNew(at: now)
      return .reapply(mode, isReset ? .reset : .upkeep)
    case .restore(let kept): return .restore(keeping: kept)
    case .restoreReturned: return .restoreReturned
    case nil: return nil
    }
  }

  /// Begins to apply the mode again.
  ///
  /// - Parameter known: the baseline before the values that the session manager restored.
  package func reapply<Lock, Mode>(
    _ input: PlanInput, _ occasion: Occasion, known: Baseline,
    _ life: inout SessionLife<Lock, Mode>, at now: Duration,
    tracer: (@Sendable (TraceEntry) -> Void)? = nil
  ) -> Reapply {
    let look = Reapply(
      input, occasion, onDisk: life.held?.stored ?? known,
      charges: life.held?.charges ?? Charges(), seen: seen, conflicts: conflicts, at: now,
      tracer: tracer)
    life.held?.charges = look.charges
    return look
  }

  /// The mode was applied again, or that failed.
  ///
  /// - Parameters:
  ///   - error: why the loop ended early, if it did.
  ///   - snapshot: the last reading of the server.
  ///   - generation: the number of the stored mode.
  ///   - write: stores the baseline; called if the store does not have it.
  package mutating func end<Lock, Mode>(
    _ look: inout Reapply, _ error: SessionError?, _ life: inout SessionLife<Lock, Mode>,
    in snapshot: ServerSnapshot, generation: Int, at now: Duration,
    write: (Baseline) throws(SessionError) -> Void
  ) throws(SessionError) {
    let isOnlyForOthers = look.isOnlyForOthers
    if !isOnlyForOthers { seen = look.run.seen }
    if let error {
      life.held?.note(look.run)
      throw error
    }
    // With what a state has shown meanwhile of a person's changes.
    if let held = life.held { look.charges = held.charges }
    let (baseline, isNew) = look.end()
    look.charges.follow(snapshot, at: now)
    refused.note(
      Set(look.run.input.refusals.keys.filter { !isOnlyForOthers || $0.isOfOthers }), at: now)
    // A hint that was not granted must not be requested again at the next look.
    life.held = Held(
      baseline: baseline, memory: look.run.input.memory, charges: look.charges,
      generation: generation)
    guard isNew else { return }
    // Until it is written: the next look tries again.
    life.held?.stored = look.run.onDisk
    try write(baseline)
    life.held?.stored = nil
  }

  /// Notes what another program has changed; the settings that are in a conflict now, with the
  /// programs that may be the cause.
  package mutating func noteConflicts(
    _ look: Reapply, at now: Duration, beside programs: [String] = []
  ) -> [(setting: Setting, programs: [String])] {
    // What PipeWire's session manager restores after its start is no conflict. A restarted server has
    // forgotten by itself only what was set before, which is no foreign change.
    guard look.occasion == .upkeep || !manager.isNew(at: now) else { return [] }
    conflicts.forgetStreams(besides: look.run.input.snapshot)
    return conflicts.noteChanges(look.run.foreign, at: now, beside: programs)
  }

  /// A mode took effect, or the former one ended.
  ///
  /// - Parameters:
  ///   - mode: the declared mode.
  ///   - baseline: what the store has now.
  ///   - isStored: whether the store has the baseline.
  ///   - generation: the number of the stored mode.
  package mutating func end<Lock, Mode>(
    _ change: ModeChange, _ mode: Mode?, isInEffect: Bool, _ baseline: Baseline,
    isStored: Bool = true, _ life: inout SessionLife<Lock, Mode>, generation: Int, at now: Duration
  ) {
    let run = change.run
    var held = Held(baseline: baseline, memory: run.input.memory, generation: generation)
    held.stored = isStored ? nil : run.onDisk
    // A change that left levels alone knows more of them than one that set them all.
    held.charges = run.input.charges ?? Charges()
    held.charges.take(run.charged, in: run.input.snapshot)
    life.endChange(mode, isInEffect: isInEffect, held)
    if !isInEffect { returns.noteEnd(baseline, in: run.input.snapshot, at: now) }
    news.remove(.reset)
    // The rest of the mode did not wait for them.
    refused.note(isInEffect ? run.lateHints : [], at: now)
    seen = isInEffect ? run.seen : ForeignChanges()
    conflicts.forget()
    flaps.forget()
  }
}
