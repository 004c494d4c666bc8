public import PulseTypes
public import SessionCore

/// Whether the devices that a profile's `[match]` asks for are there, and how much it asks for.
public struct ProfileFit: Sendable, Hashable {
  /// The profile's name.
  public var name: String
  /// What it says of itself.
  public var description: String?
  /// Where it is from.
  public var source: ProfileSource
  /// The sum over its matchers (`DeviceMatcher.points`): of those that fit, the most wins.
  public var points: Int
  /// The matchers that no device meets, as `input NAME`; empty if the profile fits.
  public var missing: [String]

  /// Whether all that it asks for is there.
  public var fits: Bool { missing.isEmpty }
}

/// Which profile the devices that are there call for.
public struct ProfileDetection: Sendable, Hashable {
  /// The name of the profile that is taken where no other fits.
  public static let defaultName = "default"

  /// Every profile with a `[match]`: those that fit first, of them the one with the most points, then
  /// by name.
  public var profiles: [ProfileFit]
  /// The best, otherwise the profile called `default`, otherwise nil.
  public var chosen: String?
  /// Those that fit as well as the chosen one, which is the first of them by name.
  public var ties: [String]

  /// Ranks profiles by the devices that are there; a pure function.
  ///
  /// - Parameter unsteady: what comes and goes, and does not count before it has stayed.
  public init(
    _ profiles: [Profile], in snapshot: ServerSnapshot, except unsteady: Set<Spot> = []
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

  /// The one after a profile among those that fit, the first after the last; nil if none fits.
  public func next(after profile: String?) -> String? {
    let fitting = profiles.filter(\.fits).map(\.name)
    guard let at = profile.flatMap({ fitting.firstIndex(of: $0) }) else {
      return fitting.first ?? chosen
    }
    return fitting[(at + 1) % fitting.count]
  }
}

extension ProfileFit {
  /// What fits before what does not, then by points.
  fileprivate var order: Int { (fits ? 0 : 1 << 32) - points }
}

extension ProfileMatch {
  fileprivate var points: Int { (inputs + outputs).reduce(0) { $0 + $1.points } }

  fileprivate func missing(in snapshot: ServerSnapshot, _ unsteady: Set<Spot>) -> [String] {
    [(Direction.input, inputs), (.output, outputs)].flatMap { direction, matchers in
      matchers.filter { !snapshot.has($0, direction, except: unsteady) }
        .map { "\(direction.rawValue) \($0)" }
    }
  }
}

extension Profile {
  /// Reads every profile there is, each once; a broken one is left out, and said by `all`.
  public static func readable(
    environment: [String: String] = processEnvironment
  ) -> [Profile] {
    let library = ProfileLibrary(environment: environment)
    return library.all().compactMap { found in
      try? ProfileResolver(library: library).resolve(found)
    }
  }
}
