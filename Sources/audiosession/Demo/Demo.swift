import AudioSession
import Logging
import Pulse
import PulseSandbox
import PulseTypes

/// A session in a private server, with a competing program, a replug and a crash.
///
/// Every line is derived from what a second client of the server sees, or from the session's
/// report.
struct Demo {
  private let sandbox: PulseSandbox
  private let session: AudioSession
  private let timeout: Duration
  private let show: (DemoStep) async throws -> Void
  private var steps: [DemoStep] = []

  /// Runs all steps; stops at the first that fails.
  ///
  /// - Parameter show: gets each step when it has ended.
  static func run(
    in sandbox: PulseSandbox, timeout: Duration, logger: Logger?,
    show: @escaping (DemoStep) async throws -> Void
  ) async throws -> DemoReport {
    let configuration = SessionConfiguration(
      timeout: timeout, isHolding: true, name: "audiosession", logger: logger)
    return try await Context.withSession(in: sandbox, configuration) { session in
      var demo = Demo(sandbox: sandbox, session: session, timeout: timeout, show: show)
      return try await demo.runSteps()
    }
  }

  /// The demo's mode; both servers' demo devices support it.
  private static var mode: AudioMode {
    var mode = AudioMode()
    mode.category = .record
    mode.ioBufferDuration = .duration(.milliseconds(10))
    mode.preferredInput = [.properties(["device.bus": "usb"]), .default]
    mode.inputPort = ["*"]
    mode.polarPattern = .stereo
    mode.inputOrientation = .landscapeRight
    mode.inputGain = Volume(fraction: 0.8)
    return mode
  }

  private mutating func runSteps() async throws -> DemoReport {
    let before = try await session.snapshot()
    let server = DemoReport.Server(
      kind: before.server.kind, name: before.server.name, version: before.server.version)
    let other = try await PulseClient.connect(
      to: sandbox.address, name: "another program", timeout: timeout)
    var outcomes: [(String, (inout Demo) async throws -> Bool)] = [
      ("plan", { try await $0.start(before) }), ("apply", { try await $0.apply() }),
      ("conflict", { try await $0.compete(other, before) }),
    ]
    if Self.canUnplug(sandbox) { outcomes.append(("unplug", { try await $0.replug() })) }
    outcomes += [
      ("restart", { try await $0.crash() }), ("revert", { try await $0.revert(before) }),
    ]
    for (step, outcome) in outcomes {
      let isOK: Bool
      do {
        isOK = try await outcome(&self)
      } catch  where !Task.isCancelled {
        isOK = try await add(
          step, false,
          "It failed: \((error as? PulseError)?.description ?? Failure(error).error.message)")
      }
      guard isOK else { return DemoReport(server: server, steps: steps, ok: false) }
    }
    return DemoReport(server: server, steps: steps, ok: true)
  }

  /// PipeWire's null devices cannot be unplugged; its simulated cards can.
  static func canUnplug(_ sandbox: PulseSandbox) -> Bool {
    sandbox.configuration.server == .pulseaudio || sandbox.hasSimulatedCards
  }

  private mutating func add(
    _ step: String, _ isOK: Bool, _ text: String, seconds: Double? = nil
  ) async throws -> Bool {
    let step = DemoStep(step: step, ok: isOK, text: text, seconds: seconds)
    steps.append(step)
    try await show(step)
    return isOK
  }

  private mutating func start(_ snapshot: ServerSnapshot) async throws -> Bool {
    let inputs = snapshot.hardware(.input).map { $0.description }
    let plan = try await session.plan(for: Self.mode)
    return try await add(
      "plan", !plan.isEmpty,
      "A private sound server with \(inputs.joined(separator: " and ")). The plan for a stereo "
        + "recording with the USB microphone has \(plan.steps.count) steps.")
  }

  private mutating func apply() async throws -> Bool {
    let clock = ContinuousClock()
    let start = clock.now
    let state = try await session.setAudioMode(Self.mode, profile: "demo").state
    let time = clock.now - start
    let asked = Property.reported.compactMap { name in
      state.properties[name].flatMap { $0.verdict == .unset ? nil : (name, $0) }
    }
    let unmet = asked.filter { $0.1.verdict != .applied }
    guard unmet.isEmpty else {
      let reasons = unmet.map {
        "\($0.0.row.label): \($0.1.reason ?? $0.1.verdict.word)"
      }
      return try await add("apply", false, "Not applied: " + reasons.joined(separator: "; "))
    }
    // A demo device without ports has none that could be named.
    let values = asked.filter { $0.1.actual != nil }.map { name, report in
      let input = name == .preferredInput ? state.route.inputs.first?.description : nil
      let actual = input ?? PropertyWords.text(report.actual, of: name)
      return "\(name.row.label) \(actual)"
    }
    return try await add(
      "apply", true,
      "Applied and read back in \(Self.words(time)): " + values.joined(separator: ", ") + ".",
      seconds: time.seconds)
  }

  /// Makes another source the default, once, from another client.
  private mutating func compete(
    _ other: PulseClient, _ before: ServerSnapshot
  ) async throws -> Bool {
    let wanted = try await other.serverInfo().defaultSourceName
    let input = try await session.currentRoute.inputs.first?.name
    let rival = before.hardware(.input).first { $0.name != input }
    guard let wanted, let rival else {
      return try await add("conflict", false, "There is no second input to change to.")
    }
    // A lazy server may report the former default for a while: what counts is that the session saw
    // the change, and that this client sees the restored default.
    let session = session
    let reapplies = try await session.getSessionState().reapplies ?? 0
    let time = try await seconds(until: {
      let now = try await session.getSessionState().reapplies ?? 0
      guard now > reapplies else { return false }
      return try await other.serverInfo().defaultSourceName == wanted
    }) { try await other.setDefaultSource(rival.name) }
    let name = rival.description
    return try await add(
      "conflict", time != nil,
      "Another program made \(name) the default input: "
        + (time.map { "restored after \(Self.words($0))." } ?? "it was not restored."),
      seconds: time?.seconds)
  }

  private mutating func replug() async throws -> Bool {
    guard let input = try await session.currentRoute.inputs.first else {
      return try await add("unplug", false, "There is no input to unplug.")
    }
    let session = session
    let gone = try await seconds(until: {
      let route = try await session.currentRoute
      return route.inputs.first.map { $0.name != input.name } ?? false
    }) { [sandbox] in try await sandbox.unplug(input.name) }
    let next = try await session.currentRoute.inputs.first?.description ?? "no input"
    guard
      try await add(
        "unplug", gone != nil,
        "\(input.description) unplugged: "
          + (gone.map { "\(next) is the input after \(Self.words($0))." }
            ?? "no other input is used."),
        seconds: gone?.seconds)
    else { return false }
    let back = try await seconds(until: {
      let state = try await session.getSessionState()
      return state.route.inputs.first?.name == input.name && !state.hasUnmet
    }) { [sandbox] in try await sandbox.plug(input.name) }
    return try await add(
      "plug", back != nil,
      "Plugged in again: "
        + (back.map {
          "it is the input again after \(Self.words($0)), with its gain, buffer and channels."
        } ?? "it is not in use as before."),
      seconds: back?.seconds)
  }

  private mutating func crash() async throws -> Bool {
    let (session, sandbox) = (session, sandbox)
    try await sandbox.kill()
    let time = try await seconds(until: {
      guard let state = try? await session.getSessionState() else { return false }
      return state.server != nil && state.active && !state.hasUnmet
    }) { try await sandbox.restart() }
    return try await add(
      "restart", time != nil,
      "Server killed and started again: "
        + (time.map { "every setting is in effect \(Self.words($0)) after it was back." }
          ?? "not every setting is in effect."),
      seconds: time?.seconds)
  }

  private mutating func revert(_ before: ServerSnapshot) async throws -> Bool {
    let report = try await session.revert()
    let (were, are) = (Self.facts(before), Self.facts(try await session.snapshot()))
    let left = were.subtracting(are).sorted().map { "\($0) before" }
    let new = are.subtracting(were).sorted().map { "\($0) now" }
    return try await add(
      "revert", left.isEmpty,
      left.isEmpty
        ? "Reverted: defaults, volumes, mutes and ports are as they were before."
        : "Not as before: " + (left + new + report.left).joined(separator: "; "))
  }

  /// The values that a revert restores, by name.
  private static func facts(_ snapshot: ServerSnapshot) -> Set<String> {
    var facts: Set<String> = []
    for direction in Direction.allCases {
      facts.insert("default \(direction.rawValue) \(snapshot.server.defaultName(direction) ?? "-")")
      for device in snapshot.hardware(direction) {
        let volumes = device.volume.values.map { "\($0)" }.joined(separator: " ")
        facts.insert(
          "\(device.name): port \(device.activePort ?? "-"), volume \(volumes), "
            + "muted \(device.isMuted)")
      }
    }
    return facts
  }

  /// Performs an action, and measures from its end until a condition holds; nil if it never does.
  private func seconds(
    until condition: () async throws -> Bool, after body: () async throws -> Void
  ) async throws -> Duration? {
    let clock = ContinuousClock()
    try await body()
    let start = clock.now
    while clock.now - start < timeout {
      if try await condition() { return clock.now - start }
      try await clock.sleep(for: .milliseconds(1))
    }
    return nil
  }

  private static func words(_ duration: Duration) -> String {
    let milliseconds = duration.seconds * 1000
    return milliseconds < 100
      ? "\((milliseconds * 10).rounded() / 10) ms" : "\(Int(saturating: milliseconds)) ms"
  }
}
