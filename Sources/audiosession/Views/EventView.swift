import AudioSession

/// One event of a session, as a line for users or as a line of JSON.
enum EventView {
  static func print(_ timed: TimedEvent, _ output: Output, names: DeviceNames = .none) throws {
    if output.isJSON {
      try output.json(timed, isOneLine: true)
    } else {
      output.print(rows(timed, width: output.terminal.width, names: names))
    }
  }

  /// An event in a list, on as many lines as it takes.
  static func lines(_ timed: TimedEvent, width: Int?, names: DeviceNames = .none) -> [Line] {
    let (name, text, _) = words(timed.event, names)
    let time = LocalTime(timed.time).dateAndTime
    return Layout.wrap("\(time)  \(name)  \(names.text(text))", indent: 2, width: width)
  }

  /// An event when it happens: the text beside its name, below it if it takes more than a line.
  static func rows(_ timed: TimedEvent, width: Int?, names: DeviceNames = .none) -> [Line] {
    let (name, text, style) = words(timed.event, names)
    return row(timed.time, Span(name, style), names.text(text), width: width)
  }

  /// A line of a program that watches: time, name and text.
  static func row(_ time: String, _ name: Span, _ text: String, width: Int?) -> [Line] {
    Layout.wrap(
      text, after: Span(LocalTime(time).clock, .dim), "  ", name.padded(to: 11), "  ",
      width: width)
  }

  private static func words(
    _ event: SessionEvent, _ names: DeviceNames
  ) -> (String, String, Style) {
    switch event {
    case .applied: ("applied", "", .green)
    case .routeChanged(let reason, let previous, let current):
      ("route", "\(change(previous, current, names)) (\(words(reason)))", .plain)
    case .devicesChanged: ("devices", "the devices, their ports or card profiles changed", .plain)
    case .drift(let what):
      ("drift", what.map(\.row.label).joined(separator: ", "), .amber)
    case .reapplied(let time): ("reapplied", "in \(milliseconds(time))", .green)
    case .reapplyFailed(let error): ("failed", error.message, .red)
    case .pending(let unmet):
      (
        "pending",
        unmet.map { "\($0.property.row.label): \($0.reason)" }
          .joined(separator: "; "), .amber
      )
    case .conflict(let what, let opponents, let end):
      (
        "conflict",
        "another program keeps changing the \(what); the session leaves it alone "
          + LocalTime.until(end)
          + (opponents.isEmpty ? "" : ". Likely: \(opponents.joined(separator: ", "))"), .red
      )
    case .interruptionBegan(let interruption): ("interrupted", words(interruption), .amber)
    case .interruptionEnded(let shouldResume):
      (
        "resumed",
        "the interruption is over" + (shouldResume ? "; the mode is maintained again" : ""), .green
      )
    case .serverLost: ("lost", "the server is lost; waiting for it", .red)
    case .serverReset(let time):
      ("reset", "the server is back; session restored in \(milliseconds(time))", .green)
    case .deviceStalled(let device, let attempts, let isRevived):
      (
        isRevived ? "revived" : "stalled",
        "\(device) delivered no sound after the machine woke up; "
          + (isRevived ? "it works since its card was" : "it still does not, though its card was")
          + " switched off and on" + (attempts > 1 ? " \(attempts) times" : ""),
        isRevived ? .green : .red
      )
    case .stopped: ("stopped", "", .plain)
    }
  }

  private static func words(_ reason: RouteChangeReason) -> String {
    switch reason {
    case .unknown: "for an unknown reason"
    case .newDeviceAvailable: "a device was added"
    case .oldDeviceUnavailable: "a device was removed"
    case .categoryChange: "by the session"
    case .override: "by a person or another program"
    case .wakeFromSleep: "after sleep"
    case .noSuitableRouteForCategory: "no device for the category"
    case .routeConfigurationChange: "same devices"
    }
  }

  /// Why the session is interrupted.
  static func words(_ reason: InterruptionReason) -> String {
    switch reason {
    case .corkRequest: "the server asked a stream of this program to pause"
    case .call(let name): "\(name) has a call; nothing is restored until it ends"
    case .deviceSuspended(let name): "\(name) is suspended while it is used"
    case .takenOver(let name): "\(name) took over the session"
    }
  }

  /// Two routes, by the ends that differ.
  private static func change(_ previous: Route, _ current: Route, _ names: DeviceNames) -> String {
    let ends = [
      difference("input", previous.inputs, current.inputs, names),
      difference("output", previous.outputs, current.outputs, names),
    ].compactMap(\.self)
    return ends.isEmpty
      ? names.list(current.inputs + current.outputs) : ends.joined(separator: ", ")
  }

  /// How an end differs: by its devices, otherwise the ports, otherwise the session's devices, and so
  /// on; nil if it does not.
  private static func difference(
    _ end: String, _ previous: [RouteDevice], _ current: [RouteDevice], _ names: DeviceNames
  ) -> String? {
    let (before, after) = (names.list(previous), names.list(current))
    guard before == after else { return "\(end) \(before) → \(after)" }
    let details: [(RouteDevice) -> String] = [
      { $0.port ?? "no port" }, { $0.via.isEmpty ? "direct" : $0.via.joined(separator: " + ") },
      { "\($0.sampleRate) Hz" }, { $0.channelMap.map(\.rawValue).joined(separator: " ") }, \.name,
    ]
    for detail in details {
      let texts = [previous, current].map { $0.map(detail).joined(separator: ", ") }
      if texts[0] != texts[1] { return "\(end) \(after): \(texts[0]) → \(texts[1])" }
    }
    return nil
  }

  private static func milliseconds(_ duration: Duration) -> String {
    let tenths = duration.microseconds / 100
    return "\(tenths / 10).\(tenths % 10) ms"
  }
}
