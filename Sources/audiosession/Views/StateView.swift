import AudioSession
import PulseTypes

/// The state for users.
enum StateView {
  /// - Parameters:
  ///   - snapshot: the server, for drawing the route; without one it is listed.
  ///   - showsReadings: shows what was read for each verdict.
  static func lines(
    _ state: SessionState, _ snapshot: ServerSnapshot? = nil, width: Int?,
    showsReadings: Bool = false, names: DeviceNames = .none
  ) -> [Line] {
    var lines: [Line] = []
    for (name, text) in facts(state, names) { lines += fact(name, text, width) }
    if let snapshot {
      let tree = RouteTree(snapshot: snapshot, properties: state.properties, names: names)
      for direction in Direction.allCases {
        lines += [.empty, Line(direction.rawValue, .bold)]
        lines += tree.route(direction)?.lines(width: width) ?? [Line("none")]
      }
    } else {
      lines += route("input", state.route.inputs, width)
      lines += route("output", state.route.outputs, width)
    }
    let properties = PropertiesView.lines(
      state.properties, width: width, preferredOnly: state.server == nil,
      showsReadings: showsReadings, names: names)
    if !properties.isEmpty { lines += [.empty] + properties }
    if !state.events.isEmpty {
      lines += [.empty, [Span("last events", .bold)]]
      lines += state.events.suffix(5).flatMap { EventView.lines($0, width: width, names: names) }
    }
    for note in state.notes { lines += Layout.wrap(note, indent: 0, width: width) }
    return lines
  }

  private static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }

  private static func facts(_ state: SessionState, _ names: DeviceNames) -> [(String, String)] {
    let server = state.server.map { "\($0.title), \($0.address)" } ?? "none"
    let session = state.profile ?? (state.hasMode ? "a mode without a profile" : "none")
    var facts = [("server", server), ("session", session + (state.active ? ", active" : ""))]
    if let holder = state.holder {
      let since = holder.since.map { ", since \($0)" } ?? ""
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
        } ?? "at " + PropertyWords.text(.number(Double(pin.sampleRate)), of: .sampleRate)
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
          names.text("another program keeps changing the \(conflict); it is left alone for now")
        ))
    }
    return facts
  }

  private static func route(_ title: String, _ devices: [RouteDevice], _ width: Int?) -> [Line] {
    guard let device = devices.first else { return fact(title, "none", width) }
    let map = device.channelMap.map(\.rawValue).joined(separator: " ")
    var details = ["\(device.sampleRate) Hz", map]
    if let port = device.port { details.insert(port, at: 0) }
    return fact(title, device.name, width)
      + Layout.wrap(details.joined(separator: ", "), indent: 9, width: width, style: .dim)
      + device.via.map { ["         ", Span("through \($0)", .dim)] }
  }

  /// A name and its value; long words are shortened, sentences wrapped.
  static func fact(_ name: String, _ text: String, _ width: Int?) -> [Line] {
    var lines = Layout.wrap(text, indent: 9, width: width)
    if !lines.isEmpty { lines[0].spans[0] = Span(name, .bold).padded(to: 9) }
    return lines
  }
}
