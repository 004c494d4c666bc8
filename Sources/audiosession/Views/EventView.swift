import AudioSession
import FoundationEssentials

/// One event of a session, as a line for people or as a line of JSON.
enum EventView {
  static func print(_ event: SessionEvent, _ output: Output, at time: Date = .now) throws {
    if output.isJSON {
      try output.json(EventJSON(event, time), isOneLine: true)
    } else {
      output.print([line(event, time)])
    }
  }

  static func line(_ event: SessionEvent, _ time: Date) -> Line {
    let clock = time.formatted(
      .iso8601.time(includingFractionalSeconds: true).timeSeparator(.colon))
    let (name, text, style) = words(event)
    return [Span(clock, .dim), "  ", Span(name, style).padded(to: 14), "  ", Span(text)]
  }

  private static func words(_ event: SessionEvent) -> (String, String, Style) {
    switch event {
    case .applied: ("applied", "", .green)
    case .routeChanged(let reason, let previous, let current):
      ("route", "\(names(previous)) → \(names(current)) (\(reason.rawValue))", .plain)
    case .devicesChanged: ("devices", "devices, ports or profiles changed", .plain)
    case .drift(let what):
      ("drift", what.map(PropertyWords.label).joined(separator: ", "), .yellow)
    case .reapplied(let time): ("reapplied", "in \(milliseconds(time))", .green)
    case .reapplyFailed(let error): ("failed", error.message, .red)
    case .fight(let setting, let opponents):
      (
        "fight",
        "\(setting.propertyName) of \(setting.object) is changed again and again; left alone for "
          + "now. Likely: \(opponents.joined(separator: ", "))", .red
      )
    case .serverLost: ("lost", "the server is gone; waiting for it", .red)
    case .serverReset(let time):
      ("reset", "the server is back, all is made anew in \(milliseconds(time))", .green)
    case .stopped: ("stopped", "", .plain)
    }
  }

  private static func names(_ route: Route) -> String {
    let all = (route.inputs + route.outputs).map {
      $0.description.isEmpty ? $0.name : $0.description
    }
    return all.isEmpty ? "nothing" : all.joined(separator: " + ")
  }

  private static func milliseconds(_ duration: Duration) -> String {
    let tenths = duration.microseconds / 100
    return "\(tenths / 10).\(tenths % 10) ms"
  }
}

/// An event as `watch --json` prints it.
struct EventJSON: Encodable {
  private let time: String
  private let event: String
  private var reason: String?
  private var previous: Route?
  private var current: Route?
  private var what: [String]?
  private var seconds: Double?
  private var error: SessionError?
  private var opponents: [String]?

  init(_ event: SessionEvent, _ date: Date) {
    time = date.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true))
    switch event {
    case .applied: self.event = "applied"
    case .routeChanged(let reason, let previous, let current):
      self.event = "routeChanged"
      self.reason = reason.rawValue
      self.previous = previous
      self.current = current
    case .devicesChanged: self.event = "devicesChanged"
    case .drift(let what):
      self.event = "drift"
      self.what = what
    case .reapplied(let duration):
      self.event = "reapplied"
      seconds = duration.seconds
    case .reapplyFailed(let error):
      self.event = "reapplyFailed"
      self.error = error
    case .fight(let setting, let opponents):
      self.event = "fight"
      what = ["\(setting.propertyName) of \(setting.object)"]
      self.opponents = opponents
    case .serverLost: self.event = "serverLost"
    case .serverReset(let duration):
      self.event = "serverReset"
      seconds = duration.seconds
    case .stopped: self.event = "stopped"
    }
  }
}
