import PulseTypes

/// The devices of a wish, and the profiles that the cards must have for them.
struct Resolution {
  /// The input and output; nil if the wish has nothing to say about one.
  var devices: [Direction: Resolved] = [:]
  /// Wishes whose device is away and that may wait.
  var waiting: [Direction: SessionError] = [:]
  /// The profile that each card concerned should have.
  var profiles: [String: String] = [:]

  /// The outputs of the category `multi-route`, the first wished first.
  var outputs: [String] = []
  /// Why they are not to be combined.
  var tooFewOutputs: SessionError?

  /// The default before us of each direction, where the current one is not it.
  var defaultsBefore: [Direction: String] = [:]

  /// What a plan needs; throws what is missing and may not wait.
  init(_ input: PlanInput) throws(SessionError) {
    try self.init(input) { (error, direction) throws(SessionError) in
      guard let direction, input.wish.mayWait(direction) else { throw error }
    }
    if let tooFewOutputs { throw tooFewOutputs }
  }

  /// As much as can be resolved, for a state: what cannot waits with its reason.
  static func tolerant(_ input: PlanInput) -> Resolution {
    Resolution(input) { _, _ in }
  }

  /// Nothing resolved: for a state whose wish no device meets.
  init() {}

  /// - Parameter unmet: told of a device that is not there, or with no direction of a card that cannot
  ///   have a profile for all of its devices; where it does not throw, these wait.
  private init<Failure: Error>(
    _ input: PlanInput, unmet: (SessionError, Direction?) throws(Failure) -> Void
  ) throws(Failure) {
    let (wish, snapshot) = (input.wish, input.snapshot)
    defaultsBefore = input.knownDefaults
    for direction in Direction.allCases where wish.concerns(direction) {
      do throws(SessionError) {
        devices[direction] = try Resolver.resolve(
          input, direction, defaultBefore: defaultsBefore[direction],
          microphone: devices[.input])
      } catch {
        try unmet(error, direction)
        waiting[direction] = error
      }
    }
    for card in snapshot.cards where !snapshot.isOfOneProgram {
      let needs = Direction.allCases.compactMap { devices[$0] }.filter {
        $0.card?.name == card.name
      }
      guard !needs.isEmpty else { continue }
      do throws(SessionError) {
        profiles[card.name] = try ProfileChoice(card: card, needs: needs, wish: wish).choose()
      } catch {
        try unmet(error, nil)
        for need in needs {
          devices[need.device.direction] = nil
          waiting[need.device.direction] = error
        }
      }
    }
    findOutputs(input)
  }

  /// Finds the outputs of `multi-route`: all wished ones that are there and usable.
  private mutating func findOutputs(_ input: PlanInput) {
    guard input.wish.category == .multiRoute, !input.snapshot.isOfOneProgram,
      let first = devices[.output]
    else { return }
    let all = Resolver.all(input, .output, defaultBefore: defaultsBefore[.output])
    outputs =
      [first.name] + all.names.filter { $0 != first.name && stays($0, input.snapshot) }
    guard outputs.count < 2 else { return }
    let advice =
      input.wish.mayCombine ? "connect another" : "name two or more in output.prefer"
    tooFewOutputs = SessionError(
      .categoryNotSupported, stage: .device,
      "category \"multi-route\" plays on several outputs at once, and of those wished only "
        + "\(first.name) is usable; \(advice)",
      property: .category, value: Category.multiRoute.rawValue, alternatives: all.rejections)
  }

  /// Whether an output is there, too, once its card has the profile that it should have.
  private func stays(_ name: String, _ snapshot: ServerSnapshot) -> Bool {
    guard let card = snapshot.device(.output, named: name).flatMap({ snapshot.card(of: $0) }),
      let wished = profiles[card.name], wished != card.activeProfile
    else { return true }
    return card.profile(named: wished).map {
      card.deviceNames(.output, profile: $0).contains(name)
    } ?? false
  }
}

extension AudioMode {
  /// Whether several outputs may be meant, if they are there; without a list all are.
  var mayCombine: Bool { preferredOutput.map { $0.count > 1 } ?? true }

  /// Whether a direction whose device is away may wait for it.
  fileprivate func mayWait(_ direction: Direction) -> Bool {
    !wish(direction).isRequired || !requires(direction)
  }
}
