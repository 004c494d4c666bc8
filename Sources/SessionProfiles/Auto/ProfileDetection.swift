package import PulseTypes
package import SessionCore

/// The profile that the present devices call for.
package struct ProfileDetection: Sendable, Hashable {
  /// The name of the profile that is chosen if no other matches.
  package static let defaultName = "default"

  /// Every profile with a `[match]`: first the matching ones, of these the one with the most
  /// points, then by name.
  package var profiles: [ProfileFit]
  /// The best match, otherwise the profile called `default`, otherwise nil.
  package var chosen: String?
  /// The profiles that match as well as the chosen one, which is the first of them by name.
  package var ties: [String]

  /// Ranks profiles by the present devices; a pure function.
  ///
  /// - Parameter unsteady: flapping devices, which do not count until they are stable.
  package init(
    _ profiles: [Profile], in snapshot: ServerSnapshot, except unsteady: Set<Attachment> = []
  ) {
    let fits = profiles.filter { !$0.match.isEmpty }.map { profile in
      ProfileFit(
        name: profile.name, description: profile.description, source: profile.source,
        points: profile.match.points, missing: profile.match.missing(in: snapshot, unsteady))
    }
    self.profiles = fits.sorted { ($0.order, $0.name) < ($1.order, $1.name) }
    let best = self.profiles.first.flatMap { $0.fits ? $0 : nil }
    let standIn = profiles.contains { $0.name == Self.defaultName } ? Self.defaultName : nil
    chosen = best?.name ?? standIn
    ties = self.profiles.filter { $0.fits && $0.points == best?.points && $0.name != best?.name }
      .map(\.name)
  }

  /// The matching profile after the given one, the first after the last; nil if none matches.
  package func next(after profile: String?) -> String? {
    let fitting = profiles.filter(\.fits).map(\.name)
    guard let at = profile.flatMap({ fitting.firstIndex(of: $0) }) else {
      return fitting.first ?? chosen
    }
    return fitting[(at + 1) % fitting.count]
  }
}

extension ProfileFit {
  /// Matching profiles first, then by points.
  fileprivate var order: Int { (fits ? 0 : 1 << 32) - points }
}

extension ProfileMatch {
  fileprivate var points: Int { (inputs + outputs).reduce(0) { $0 + $1.points } }

  fileprivate func missing(in snapshot: ServerSnapshot, _ unsteady: Set<Attachment>) -> [String] {
    [(Direction.input, inputs), (.output, outputs)].flatMap { direction, matchers in
      matchers.filter { !snapshot.has($0, direction, except: unsteady) }
        .map { "\(direction.rawValue) \($0)" }
    }
  }
}
