import PulseTypes

/// The devices for a mode, and the profiles that their cards need.
struct Resolution {
  /// The input and output; nil if the mode does not concern a direction.
  var devices: [Direction: Resolved] = [:]
  /// Directions whose device is missing and may be awaited.
  var waiting: [Direction: SessionError] = [:]
  /// The profile that each affected card needs.
  var profiles: [String: String] = [:]

  /// The outputs of the category `multi-route`, the most preferred first.
  var outputs: [String] = []
  /// Why they cannot be combined.
  var tooFewOutputs: SessionError?

  /// The default of each direction from before the session, if it is not the current one.
  var defaultsBefore: [Direction: String] = [:]

  /// Resolves the devices for a plan; throws if a device is missing and may not be awaited.
  init(_ input: PlanInput) throws(SessionError) {
    try self.init(input) { (error, direction) throws(SessionError) in
      guard let direction, input.mode.mayWait(direction) else { throw error }
    }
    if let tooFewOutputs { throw tooFewOutputs }
  }

  /// Resolves as much as possible, for a state; directions that cannot be resolved wait, with the
  /// reason.
  static func tolerant(_ input: PlanInput) -> Resolution {
    Resolution(input) { _, _ in }
  }

  /// - Parameter unmet: called for a missing device, or without a direction for a card that has no
  ///   profile for all of its devices; if it does not throw, these wait.
  private init<Failure: Error>(
    _ input: PlanInput, unmet: (SessionError, Direction?) throws(Failure) -> Void
  ) throws(Failure) {
    let (mode, snapshot) = (input.mode, input.snapshot)
    defaultsBefore = input.knownDefaults
    for direction in Direction.allCases where mode.concerns(direction) {
      do throws(SessionError) {
        var resolver = Resolver(
          input, direction, defaultBefore: defaultsBefore[direction],
          microphone: devices[.input])
        devices[direction] = try resolver.resolve()
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
        profiles[card.name] = try ProfileChoice(card: card, needs: needs, mode: mode).choose()
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

  /// Finds the outputs of `multi-route`: all preferred ones that exist and are usable.
  private mutating func findOutputs(_ input: PlanInput) {
    guard input.mode.category == .multiRoute, !input.snapshot.isOfOneProgram,
      let first = devices[.output]
    else { return }
    let all = Resolver.all(input, .output, defaultBefore: defaultsBefore[.output])
    outputs =
      [first.name] + all.names.filter { $0 != first.name && stays($0, input.snapshot) }
    guard outputs.count < 2 else { return }
    let advice =
      input.mode.mayCombine ? "connect another" : "name two or more in output.prefer"
    tooFewOutputs = SessionError(
      .categoryNotSupported, stage: .device,
      "category \"multi-route\" plays on several outputs at once, and of those preferred only "
        + "\(first.name) is usable; \(advice)",
      property: .category, value: Category.multiRoute.rawValue, alternatives: all.rejections)
  }

  /// Whether an output also exists once its card has the required profile.
  private func stays(_ name: String, _ snapshot: ServerSnapshot) -> Bool {
    guard let card = snapshot.device(.output, named: name).flatMap({ snapshot.card(of: $0) }),
      let preference = profiles[card.name], preference != card.activeProfile
    else { return true }
    return card.profile(named: preference).map {
      card.deviceNames(.output, profile: $0).contains(name)
    } ?? false
  }
}

extension AudioMode {
  /// Whether several outputs may be used if they exist: without a list all may, and one word may mean several.
  var mayCombine: Bool {
    guard let list = preferredOutput else { return true }
    return list.count > 1 || list.contains { $0 != .default && !$0.isOfOneDevice }
  }

  /// Whether a direction may wait for its missing device.
  fileprivate func mayWait(_ direction: Direction) -> Bool {
    !preferences(direction).isRequired || !requires(direction)
  }
}
