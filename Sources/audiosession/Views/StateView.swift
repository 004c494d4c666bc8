import AudioSession
import PulseTypes

enum StateView {
  /// - Parameters:
  ///   - snapshot: the server, for drawing the route; without one it is listed.
  ///   - isLive: for a screen that shows only as much as it has room for: first what happened, then
  ///     what was asked for.
  ///   - showsReadings: shows what was read for each verdict.
  ///   - address: the server that was named, for the command that it proposes.
  static func lines(
    _ state: SessionState, _ snapshot: ServerSnapshot? = nil, width: Int?, isLive: Bool = false,
    showsReadings: Bool = false, names: DeviceNames = .none, on address: String? = nil
  ) -> [Line] {
    let facts =
      facts(state, names).flatMap { fact($0.0, $0.1, width) } + next(state, address, width)
    let properties = PropertiesView.lines(
      state.properties, width: width, preferredOnly: isLive || state.server == nil,
      showsReadings: showsReadings, names: names)
    let events = state.events.suffix(5).flatMap {
      EventView.lines($0, width: width, names: names)
    }
    let last = events.isEmpty ? [] : [Line("last events", .bold)] + events
    let routes = routes(state, snapshot, width, names)
    let parts =
      isLive
      ? [facts, last, properties] + routes
      : (snapshot == nil ? [facts + routes[0]] : [facts] + routes) + [properties, last]
    let notes = state.notes.flatMap { Layout.wrap($0, indent: 0, width: width) }
    return Array(parts.filter { !$0.isEmpty }.joined(separator: [.empty])) + notes
  }

  /// The way of the sound in each direction.
  private static func routes(
    _ state: SessionState, _ snapshot: ServerSnapshot?, _ width: Int?, _ names: DeviceNames
  ) -> [[Line]] {
    guard let snapshot else {
      return [
        fact("input", names.list(state.route.inputs), width)
          + fact("output", names.list(state.route.outputs), width)
      ]
    }
    let tree = RouteTree(snapshot: snapshot, properties: state.properties, names: names)
    return Direction.allCases.map { direction in
      [Line(direction.rawValue, .bold)]
        + (tree.route(direction)?.lines(width: width) ?? [Line("none")])
    }
  }

  private static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }

  private static func facts(_ state: SessionState, _ names: DeviceNames) -> [(String, String)] {
    let server = state.server.map { "\($0.title), \($0.address)" } ?? "none"
    let session = state.profile ?? (state.hasMode ? "a mode without a profile" : "none")
    var facts = [("server", server), ("session", session + (state.active ? ", active" : ""))]
    if let holder = state.holder {
      let since = holder.since.map { ", since \(LocalTime($0).dateAndTime)" } ?? ""
      facts.append(("holder", "\(holder.name), process \(holder.pid)\(since)"))
    }
    if let resets = state.resets, let reapplies = state.reapplies, max(resets, reapplies) > 0 {
      let restarts = resets == 0 ? "" : "; the server restarted \(Self.times(resets))"
      facts.append(("upkeep", "restored \(Self.times(reapplies))\(restarts)"))
    }
    if state.interrupted { facts.append(("", "interrupted: nothing is restored until it ends")) }
    for pin in state.pins where pin.held {
      let what =
        pin.latency.map {
          "for the " + PropertyWords.text(.number($0), of: .ioBufferDuration) + " buffer"
        }
        ?? (pin.kind == "latency"
          ? "for its buffer"
          : "at " + PropertyWords.text(.number(Double(pin.sampleRate)), of: .sampleRate))
      facts.append(("held", "\(names[pin.device]) \(what)"))
    }
    for processing in state.processing {
      let use = processing.inUse ? "in use" : "unused"
      let awake =
        processing.keepsRunning.isEmpty
        ? ""
        : ", keeps running: \(processing.keepsRunning.map { names[$0] }.joined(separator: ", "))"
      facts.append(("chain", "\(processing.kind) (\(processing.method)) \(use)\(awake)"))
    }
    for conflict in state.conflicts {
      facts.append(
        (
          "conflict",
          names.text("another program keeps changing the \(conflict); it is left alone ")
            + LocalTime.until(state.conflict(about: conflict).until)
        ))
    }
    return facts
  }

  /// What to type where the profile is not maintained, or something else stays in effect. The command is
  /// for copying, so it is never wrapped.
  private static func next(_ state: SessionState, _ address: String?, _ width: Int?) -> [Line] {
    let isHeld = state.holder != nil
    guard let words = isHeld ? state.restoreCommand : state.active ? state.keepCommand : nil
    else { return [] }
    let text =
      isHeld ? "to restore what was changed since:" : "no process maintains it now; this does:"
    let command = Words.command("audiosession \(words)", on: address)
    let lines = fact("", "\(text) \(command)", nil)
    guard let width, lines[0].width > width else { return lines }
    return fact("", text, width) + [["         ", Span(command)]]
  }

  /// A name and its value, wrapped.
  static func fact(_ name: String, _ text: String, _ width: Int?) -> [Line] {
    Layout.wrap(text, after: Span(name, .bold).padded(to: 9), width: width)
  }
}
