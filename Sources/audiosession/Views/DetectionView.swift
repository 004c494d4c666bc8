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
    return ["fits, \(Words.count(fit.points, "point"))\(tie)"]
  }
}
