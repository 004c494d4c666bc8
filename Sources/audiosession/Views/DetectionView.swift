import AudioSession
import SessionProfiles

/// The matching profiles, for users.
enum DetectionView {
  static func lines(_ detection: ProfileDetection, width: Int?) -> [Line] {
    var lines = detection.profiles.flatMap { self.lines($0, detection, width) }
    let isStandIn =
      detection.chosen == ProfileDetection.defaultName
      && !detection.profiles.contains { $0.fits }
    if isStandIn {
      lines.append([Span("* ", .green), Span(ProfileDetection.defaultName, .green)])
      lines += Layout.wrap("taken because no other fits", indent: 4, width: width)
    }
    guard lines.isEmpty || detection.chosen == nil else { return lines }
    let text = lines.isEmpty ? "no profile has a [match]; 'profiles save' writes one" : "none fits"
    return lines + Layout.wrap(text, indent: 0, width: width)
  }

  private static func lines(
    _ fit: ProfileFit, _ detection: ProfileDetection, _ width: Int?
  ) -> [Line] {
    let isChosen = fit.name == detection.chosen
    let style: Style = isChosen ? .green : fit.fits ? .plain : .dim
    return Layout.wrap(
      fit.name, after: Span(isChosen ? "* " : "  ", .green), width: width, style: style)
      + words(fit, detection).flatMap { Layout.wrap($0, indent: 4, width: width) }
  }

  private static func words(_ fit: ProfileFit, _ detection: ProfileDetection) -> [String] {
    guard fit.fits else { return fit.missing.map { "not there: \($0)" } }
    let tie =
      detection.ties.contains(fit.name)
      ? ", as many as \(detection.chosen ?? ""), which is first by name" : ""
    return ["fits, \(fit.points) \(fit.points == 1 ? "point" : "points")\(tie)"]
  }
}

/// `profiles detect --json`.
struct DetectionJSON: Encodable {
  private let detection: ProfileDetection

  init(_ detection: ProfileDetection) { self.detection = detection }

  private enum Key: String, CodingKey { case schema, chosen, ties, profiles }
  private enum ItemKey: String, CodingKey { case name, description, source, fits, points, missing }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(1, forKey: .schema)
    try values.encode(detection.chosen, forKey: .chosen)
    try values.encode(detection.ties, forKey: .ties)
    var items = values.nestedUnkeyedContainer(forKey: .profiles)
    for fit in detection.profiles {
      var item = items.nestedContainer(keyedBy: ItemKey.self)
      try item.encode(fit.name, forKey: .name)
      try item.encode(fit.description, forKey: .description)
      try item.encode(fit.source.description, forKey: .source)
      try item.encode(fit.fits, forKey: .fits)
      try item.encode(fit.points, forKey: .points)
      try item.encode(fit.missing, forKey: .missing)
    }
  }
}
