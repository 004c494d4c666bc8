import ArgumentParser
import AudioSession
import Glibc
import POSIX
import PulseTypes
import SessionProfiles

struct WatchCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Apply a profile, or the stored one, and maintain it.",
    discussion: """
      Maintains the session until SIGINT or SIGTERM, or until its output (a pipe or a terminal) is \
      closed: settings that other programs change are restored, a device that is plugged in again \
      is used again, and after a restart of the server the session is restored. Prints one line for \
      each event. SIGHUP reads the profile again: the one named here, otherwise the one in effect. \
      'apply' and 'revert' in other terminals are carried out by this process. Without a profile \
      and a stored one it waits for an 'apply'.

      With --auto it applies the profile whose [match] fits the devices best ('profiles detect'), \
      and another one when devices are plugged in or removed and that one fits better. A profile \
      that you apply yourself stays until then.

      JSON: one object a line: time, event, and its values: applied; routeChanged: reason, \
      previous, current (as the route of 'state'); devicesChanged; drift: what (properties); \
      reapplied: seconds; reapplyFailed: error; pending: unmet (property, verdict, reason); \
      serverLost; serverReset: seconds; interruptionBegan: cause, by; interruptionEnded: \
      shouldResume; conflict: what, opponents, until; deviceStalled: device, attempts, revived; stopped. \
      With --auto also profileChosen: profile, points, ties.
      """)

  @Argument(
    help: "The name of a profile, or the path of its file. (default: the stored one)",
    completion: Completion.profile)
  var profile: String?

  @Flag(help: "Apply the profile that fits the devices, and change it with the devices.")
  var auto = false

  @Flag(
    help: "Take over from the process that maintains the session; it continues when this one ends.")
  var replace = false

  @Flag(help: "Restore the settings from before at the end.")
  var revert = false

  @Option(
    help: ArgumentHelp(
      "Write everything that is read, planned and done to a file, for 'replay'.", valueName: "file"),
    completion: .file())
  var trace: String?

  @Flag(help: "Replace the trace of an earlier run.")
  var force = false

  var activity: String? { nil }
  static func printsLines(_ arguments: [String]) -> Bool { true }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func validate() throws {
    guard !auto || profile == nil else {
      throw ValidationError("--auto chooses the profile by itself; leave the name out")
    }
    guard !force || trace != nil else {
      throw ValidationError("--force is for the file of --trace; add --trace FILE, or leave it out")
    }
  }

  func run(_ context: Context) async throws -> Status {
    let printing = PrintQueue()
    do {
      return try await watch(context, printing)
    } catch {
      // What was chosen is printed before why it failed.
      await printing.finish()
      throw error
    }
  }

  private func watch(_ context: Context, _ printing: PrintQueue) async throws -> Status {
    // Reports an invalid profile before it asks a server.
    let named = try profile.map { try Profile.found($0) }
    let trace = try trace.map { (path) throws(SessionError) in
      try TraceFile(path, replaces: force) { reason in
        // In a task, as the session's thread must not wait for a reader of the warning.
        Task {
          context.output.warning("the trace \(path) ends here, as it cannot be written: \(reason)")
        }
      }
    }
    let hooks = Hooks(options: options, output: context.output)
    return try await context.withSession(isHolding: true, trace: trace, hooks: hooks) { session in
      let events = session.events
      let switching =
        auto ? AutoSwitch(session, context.output, printing, options: activation) : nil
      let notifier = ServiceNotifier()
      let (reloads, reload) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
      do {
        // One owner for all signals, from before the first change until after the last.
        try await Interruption.watching(reload: { reload.yield() }) {
          let report = try await begin(session, context.output, printing, notifier) {
            guard let switching else { return try await apply(session, named) }
            return try await switching.start()
          }
          for warning in ApplyNotes.warnings(report.state) { context.output.warning(warning) }
          guard !Task.isCancelled else { return }
          notifier.send("READY=1\n" + Self.status(report.state))
          hooks?.noteStart(report.state)
          await keep(session, context, printing, events, reloads) { event in
            await switching?.note(event)
            await hooks?.note(event) { try? await session.getSessionState() }
          } reload: {
            guard let switching else { return try await readAgain(session) }
            await switching.reload()
          }
        }
      } catch {
        // An order that was carried out while the first apply was tried again is in effect.
        if revert, Interruption.received != nil || Interruption.isUnread,
          await session.modeInEffect != nil,
          let status = try await restore(session, context.output)
        {
          return status
        }
        guard Interruption.isUnread, Failure(error).error.code == .cancelled else { throw error }
        return .done  // its output has no reader
      }
      await switching?.stop()
      notifier.send("STOPPING=1")
      await printing.finish()
      let signal = Interruption.received
      guard signal != nil || Interruption.isUnread else { return .noServer }
      let restored = await outcome { revert ? try await restore(session, context.output) : nil }
      try? EventView.print(.now(.stopped), context.output)
      await hooks?.note(.stopped) { try? await session.getSessionState() }
      return try restored.get() ?? signal.map(Status.signal) ?? .done
    }
  }

  /// Applies the mode for the first time; reports failures that may end by themselves, and waits.
  private func begin(
    _ session: AudioSession, _ output: Output, _ printing: PrintQueue,
    _ notifier: ServiceNotifier, _ apply: () async throws -> ApplyReport
  ) async throws -> ApplyReport {
    var backoff = StartBackoff()
    while true {
      do {
        return try await apply()
      } catch let error as SessionError {
        // A signal that comes during an attempt is what ends it, however the attempt ends.
        guard !Task.isCancelled || error.code == .cancelled else {
          throw SessionError(
            .cancelled, stage: .session, "cancelled; the last failure: \(error.message)",
            restored: error.restored)
        }
        guard let pause = backoff.pause(after: error) else { throw error }
        if backoff.isNews(error) {
          printing.add { output.report(error, isOneLine: true, isTriedAgain: true) }
        }
        // Otherwise a service manager would end a service that takes long to become ready.
        let time = options.timeout.duration + pause + .seconds(10)
        notifier.send(
          "EXTEND_TIMEOUT_USEC=\(time.microseconds)\nSTATUS=Trying again: \(visible(error.message))"
        )
        try await session.sleep(until: .now + pause)
      }
    }
  }

  private var activation: AudioSession.ActivationOptions { replace ? .takeOver : [] }

  /// - Parameter named: the named profile, as read before.
  private func apply(_ session: AudioSession, _ named: Profile?) async throws -> ApplyReport {
    guard let profile, let named else { return try await session.hold(options: activation) }
    // A file may have changed since an earlier attempt; a pipe gives its text only once.
    let isFile = File.status(profile)?.isRegular != false
    let found = isFile ? try Profile.found(profile) : named
    return try await session.start(found.mode, profile: found.name, options: activation)
  }

  /// Reads the profile again and applies it: the one that was named, otherwise the one in effect.
  private func readAgain(_ session: AudioSession) async throws {
    var name = profile
    if name == nil {
      let state = try await session.getSessionState()
      // Another holder's profile is not this one's to apply.
      if state.active, state.holder?.pid == getpid() { name = state.profile }
    }
    guard let name else {
      try await session.hold(options: activation)
      return
    }
    let found = try Profile.found(name)
    try await session.adopt(found.mode, profile: found.name, options: activation)
  }

  /// Restores the settings from before, unless another process has taken the session over: then they are
  /// that one's to restore.
  ///
  /// - Returns: the exit status if not all could be restored.
  private func restore(_ session: AudioSession, _ output: Output) async throws -> Status? {
    let isApplied = await session.modeInEffect != nil
    let report: ApplyReport
    do throws(SessionError) {
      report = try await session.revert()
    } catch {
      // A command may have the session for a moment, without having taken it over.
      guard error.code == .isBusy, (try? await session.holder()) != nil else {
        throw isApplied ? notRestored(error) : error
      }
      return nil
    }
    for note in report.left { output.warning(note) }
    try report.checkRecorded()
    return report.revertStatus
  }

  /// Why not all was restored, and how to try again.
  private func notRestored(_ cause: SessionError) -> SessionError {
    var error = cause
    error.restored = false
    error.message = "the former settings could not be restored (\(cause.message))"
    // The server of --sandbox ends with this command.
    if !options.sandbox {
      error.message += "; to try again: " + Words.command("audiosession revert", on: options.server)
    }
    return error
  }

  /// The status text that a service manager shows.
  private static func status(_ state: SessionState) -> String {
    guard state.active else { return "STATUS=Waiting for a profile to be applied" }
    return "STATUS=Maintaining \(state.profile.map { Text.visible($0) } ?? "the stored mode")"
  }

  /// Prints events and rereads the profile, until the task is cancelled.
  private func keep(
    _ session: AudioSession, _ context: Context, _ printing: PrintQueue,
    _ events: AsyncStream<SessionEvent>, _ reloads: AsyncStream<Void>,
    note: @escaping @Sendable (SessionEvent) async -> Void,
    reload: @escaping @Sendable () async throws -> Void
  ) async {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        for await event in events {
          let timed = TimedEvent.now(event)
          printing.add {
            try? EventView.print(
              timed, context.output, names: await names(event, session, context))
          }
          await note(event)
        }
        return true
      }
      group.addTask {
        for await _ in reloads {
          do {
            try await reload()
          } catch {
            // The previous mode stays in effect; reports the invalid file and keeps watching.
            printing.add { context.output.report(error, isOneLine: true) }
          }
        }
        return false
      }
      // The events end with the session; the stream of signals only with this task group.
      while let isOver = await group.next(), !isOver {}
      group.cancelAll()
    }
  }

  /// The names for an event whose text has the server's; reading them for each would delay those that
  /// tell of a lost server.
  private func names(
    _ event: SessionEvent, _ session: AudioSession, _ context: Context
  ) async -> DeviceNames {
    switch event {
    case .pending, .conflict, .reapplyFailed, .interruptionBegan:
      context.names(try? await session.snapshot())
    default: context.names(nil)
    }
  }
}
