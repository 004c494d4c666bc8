import PulseTypes

/// What a wish means on this machine, found by reading alone.
struct Resolved {
  /// The device, or what a profile will make.
  var device: Device
  var card: Card?
  /// The port that is wished, where one is.
  var port: Port?
  /// The profiles that have the device and the port; empty without a card.
  var profiles: [String]
  /// Whether nothing but the default was asked for.
  var isDefault = false

  var name: String { device.name }
}

/// The devices of a wish, and the profiles that the cards must have for them.
struct Resolution {
  /// The input and output; nil where the wish has nothing to say about one.
  var devices: [Direction: Resolved] = [:]
  /// Wishes whose device is away and that may wait.
  var waiting: [Direction: SessionError] = [:]
  /// The profile that each card concerned should have.
  var profiles: [String: String] = [:]

  /// The outputs of the category `multi-route`, the first wished first.
  var outputs: [String] = []
  /// Why they are not to be combined.
  var tooFewOutputs: SessionError?

  /// The default before us of each direction, where the present one is not it.
  var defaultsBefore: [Direction: String] = [:]

  init(_ input: PlanInput) throws(SessionError) {
    let wish = input.wish
    let snapshot = input.snapshot
    defaultsBefore = input.knownDefaults
    for direction in Direction.allCases where wish.concerns(direction) {
      do throws(SessionError) {
        devices[direction] = try Resolver.resolve(
          input, direction, defaultBefore: defaultsBefore[direction],
          microphone: devices[.input])
      } catch {
        guard !wish.wish(direction).isRequired || !wish.requires(direction) else { throw error }
        waiting[direction] = error
      }
    }
    for card in snapshot.cards where !snapshot.isOfOneProgram {
      let needs = devices.values.filter { $0.card?.name == card.name }
      guard !needs.isEmpty else { continue }
      profiles[card.name] = try ProfileChoice(card: card, needs: needs, wish: wish).choose()
    }
    findOutputs(input)
    if let tooFewOutputs { throw tooFewOutputs }
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
    tooFewOutputs = SessionError(
      .categoryNotSupported, stage: .device,
      "category \"multi-route\" plays on several outputs at once, and of those wished only "
        + "\(first.name) is usable; name two or more in output.prefer",
      property: "category", value: Category.multiRoute.rawValue, alternatives: all.rejections)
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

  /// Nothing resolved: for a state whose wish no device meets.
  init() {}

  /// As much as can be resolved, for a state: what cannot waits with its reason.
  static func tolerant(_ input: PlanInput) -> Resolution {
    let wish = input.wish
    let snapshot = input.snapshot
    var result = Resolution()
    result.defaultsBefore = input.knownDefaults
    for direction in Direction.allCases where wish.concerns(direction) {
      do throws(SessionError) {
        result.devices[direction] = try Resolver.resolve(
          input, direction, defaultBefore: result.defaultsBefore[direction],
          microphone: result.devices[.input])
      } catch {
        result.waiting[direction] = error
      }
    }
    for card in snapshot.cards where !snapshot.isOfOneProgram {
      let needs = result.devices.values.filter { $0.card?.name == card.name }
      guard !needs.isEmpty else { continue }
      do throws(SessionError) {
        result.profiles[card.name] = try ProfileChoice(card: card, needs: needs, wish: wish)
          .choose()
      } catch {
        for need in needs {
          result.devices[need.device.direction] = nil
          result.waiting[need.device.direction] = error
        }
      }
    }
    result.findOutputs(input)
    return result
  }
}

/// Finds the device of one direction.
struct Resolver {
  private let wish: AudioMode
  private let part: DirectionWish
  private let direction: Direction
  private let snapshot: ServerSnapshot
  private let defaultBefore: String?
  /// What has yet to stay, and is passed over as long as there is something else.
  private let unsteady: Set<Spot>
  /// The input.
  private var microphone: Resolved?
  private var rejections: [String] = []
  /// The names of the devices that were rejected, and why each was.
  private var rejected: [String: Set<String>] = [:]
  private var isPortAtFault = false

  private init(_ input: PlanInput, _ direction: Direction, _ defaultBefore: String?) {
    wish = input.wish
    self.direction = direction
    snapshot = input.snapshot
    self.defaultBefore = defaultBefore
    part = wish.wish(direction)
    unsteady = input.unsteady
  }

  /// The first candidate of the first matcher that is usable.
  ///
  /// - Parameter microphone: the input, where that is resolved already.
  static func resolve(
    _ input: PlanInput, _ direction: Direction, defaultBefore: String?, microphone: Resolved? = nil
  ) throws(SessionError) -> Resolved {
    var resolver = Resolver(input, direction, defaultBefore)
    resolver.microphone = microphone
    return try resolver.resolve()
  }

  /// Every output that exists, is meant by one of the matchers and is usable, in their order; all of
  /// the hardware where nothing is wished. And why others are not.
  static func all(
    _ input: PlanInput, _ direction: Direction, defaultBefore: String?
  ) -> (names: [String], rejections: [String]) {
    var resolver = Resolver(input, direction, defaultBefore)
    var names: [String] = []
    var seen: Set<String> = []
    for matcher in resolver.part.prefer ?? [.name("*")] {
      var found = input.snapshot.candidates(matcher, direction, defaultBefore: defaultBefore)
        .filter(\.exists)
      if matcher == .default { found = Array(found.prefix(1)) }
      for candidate in found where !seen.contains(candidate.name) {
        let isPlugged =
          candidate.device.ports.isEmpty
          || candidate.device.ports.contains(where: \.availability.isUsable)
        if isPlugged {
          seen.insert(candidate.name)
          names.append(candidate.name)
        } else {
          _ = resolver.reject(candidate, "nothing is plugged in")
        }
      }
      if found.isEmpty { resolver.rejections.append("\(matcher): no such output") }
    }
    let others = input.snapshot.hardware(direction).map(\.name).filter { name in
      !seen.contains(name) && resolver.rejected[name] == nil
    }
    return (names, resolver.rejections + others.map { "\($0): is there and was not asked for" })
  }

  private mutating func resolve() throws(SessionError) -> Resolved {
    let matchers = part.prefer ?? [.default]
    var passedOver: Resolved?
    for matcher in matchers {
      let candidates = preferringProfile(
        snapshot.candidates(matcher, direction, defaultBefore: defaultBefore)
          .filter { $0.exists || !snapshot.isOfOneProgram })
      for candidate in candidates {
        guard var resolved = accept(candidate, matcher) else { continue }
        resolved.isDefault = matcher == .default
        guard candidate.isUnsteady(unsteady) else { return resolved }
        passedOver = passedOver ?? resolved
      }
      if candidates.isEmpty, matcher != .default {
        rejections.append("\(matcher): no such \(noun)\(missingProfile(matcher))")
      }
    }
    if let passedOver { return passedOver }
    throw failure(matchers)
  }

  /// Of a headset the device of the profile that is needed, for each has a name of its own, so that the
  /// profile alone cannot choose: A2DP for a category that only plays, and where the microphone is
  /// elsewhere; that of its microphone where the microphone is its own.
  private func preferringProfile(_ candidates: [Candidate]) -> [Candidate] {
    guard direction == .output else { return candidates }
    let onlyPlays = wish.category?.directions == [.output] && !wish.concerns(.input)
    guard onlyPlays || microphone != nil else { return candidates }
    func isRight(_ candidate: Candidate) -> Bool {
      if let microphone, microphone.card?.name == candidate.card?.name {
        return candidate.profiles.contains { microphone.profiles.contains($0) }
      }
      return candidate.profiles.contains { $0.contains("a2dp") }
    }
    var result: [Candidate] = []
    var seen: Set<String> = []
    for candidate in candidates where !seen.contains(candidate.name) {
      if let card = candidate.card, card.isBluetooth, !isRight(candidate),
        let better = candidates.first(where: { $0.card?.name == card.name && isRight($0) })
      {
        seen.insert(better.name)
        result.append(better)
      }
      seen.insert(candidate.name)
      result.append(candidate)
    }
    return result
  }

  /// A headset's microphone profile may be listed a while after the headset itself.
  private func missingProfile(_ matcher: DeviceMatcher) -> String {
    guard direction == .input, wish.options?.contains(.allowBluetoothHFP) == true,
      let card = snapshot.cards.first(where: { $0.lacksMicrophone && $0.couldBe(matcher) })
    else { return "" }
    return " yet: \(card.name) lists no profile with a microphone; required = false waits for it"
  }

  private var noun: String { direction == .input ? "input" : "output" }

  private mutating func reject(_ candidate: Candidate, _ why: String) -> Resolved? {
    if rejected[candidate.name, default: []].insert(why).inserted {
      rejections.append("\(candidate.name): \(why)")
    }
    return nil
  }

  private mutating func accept(_ candidate: Candidate, _ matcher: DeviceMatcher) -> Resolved? {
    if candidate.card?.isBluetooth == true, direction == .input,
      wish.options?.contains(.allowBluetoothHFP) != true
    {
      return reject(candidate, "a Bluetooth microphone needs options = [\"allow-bluetooth-hfp\"]")
    }
    let device = candidate.device
    let wanted = part.port ?? matcher.portTypes.map(PortMatcher.type).or(speaker(of: device))
    guard !device.ports.isEmpty else {
      return Resolved(
        device: device, card: candidate.card, port: nil, profiles: candidate.profiles)
    }
    guard device.ports.contains(where: \.availability.isUsable) else {
      return reject(candidate, "nothing is plugged in")
    }
    guard !wanted.isEmpty else {
      return Resolved(
        device: device, card: candidate.card, port: nil, profiles: candidate.profiles)
    }
    guard let port = port(wanted, of: device) else {
      isPortAtFault = true
      return reject(candidate, Self.portReason(wanted, device))
    }
    guard !snapshot.isOfOneProgram || port.name == device.activePort else {
      isPortAtFault = true
      return reject(
        candidate,
        "its port is \(device.activePort ?? "none"), and scope \"application\" changes no port")
    }
    return Resolved(
      device: device, card: candidate.card, port: port,
      profiles: profiles(of: candidate, with: port))
  }

  /// With `default-to-speaker` the speaker, unless headphones are known to be plugged in.
  private func speaker(of device: Device) -> [PortMatcher] {
    guard direction == .output, wish.options?.contains(.defaultToSpeaker) == true else { return [] }
    func has(_ type: PortType, _ isPlugged: (Port) -> Bool) -> Bool {
      device.ports.contains { device.portTypes($0).contains(type) && isPlugged($0) }
    }
    if has(.headphones, { $0.availability == .yes }) { return [.type(.headphones)] }
    return has(.speaker, \.availability.isUsable) ? [.type(.speaker)] : []
  }

  private func profiles(of candidate: Candidate, with port: Port) -> [String] {
    guard let onCard = candidate.card?.ports.first(where: { $0.name == port.name }),
      !onCard.profiles.isEmpty
    else { return candidate.profiles }
    return candidate.profiles.filter { onCard.profiles.contains($0) }
  }

  /// The first wished port that is usable; among equals the active one, then plugged before unknown.
  private func port(_ wanted: [PortMatcher], of device: Device) -> Port? {
    // Who may change no port takes the one in use, whatever its place in the ranking.
    if snapshot.isOfOneProgram, let active = device.active, active.availability.isUsable,
      wanted.contains(where: { $0.matches(active, of: device) })
    {
      return active
    }
    for matcher in wanted {
      let ports = device.ports.filter {
        matcher.matches($0, of: device) && $0.availability.isUsable
      }
      if let active = ports.first(where: { $0.name == device.activePort }) { return active }
      if let best = ports.max(by: { Self.rank($0) < Self.rank($1) }) { return best }
    }
    return nil
  }

  private static func rank(_ port: Port) -> UInt64 {
    (port.availability == .yes ? 1 << 32 : 0) + UInt64(port.priority)
  }

  private static func portReason(_ wanted: [PortMatcher], _ device: Device) -> String {
    let names = Words.list(wanted.map { "'\($0)'" }, last: "or")
    let ports = device.ports.map { port in
      "\(port.name) (\(port.availability.isUsable ? "available" : "not plugged in"))"
    }
    return "no usable port \(names); it has: \(ports.joined(separator: ", "))"
  }

  private func failure(_ matchers: [DeviceMatcher]) -> SessionError {
    let property = direction == .input ? "preferredInput" : "preferredOutput"
    let code: SessionError.Code =
      isPortAtFault
      ? .portNotAvailable : direction == .input ? .inputNotAvailable : .outputNotAvailable
    let value = matchers.map(\.description).joined(separator: ", ")
    let there = snapshot.hardware(direction)
    guard !(there.isEmpty && rejections.isEmpty) || part.prefer != nil else {
      return SessionError(
        code, stage: .device, nothingThere, property: property, value: value,
        alternatives: monitors)
    }
    let unnamed = there.map(\.name).filter { rejected[$0] == nil }
    let message =
      isPortAtFault && matchers == [.default]
      ? "the \(noun) has none of the wished ports"
      : "no usable \(noun) for \(Words.list(matchers.map { "'\($0)'" }, last: "or"))"
    return SessionError(
      code, stage: .device, there.isEmpty ? "\(message): \(nothingThere)" : message,
      property: isPortAtFault ? "\(noun)Port" : property, value: value,
      alternatives: rejections + unnamed.map { "\($0): is there and was not asked for" }
        + (there.isEmpty ? monitors : []))
  }

  private var monitors: [String] {
    guard direction == .input else { return [] }
    return snapshot.sources.filter {
      $0.isMonitor && !snapshot.isDummy($0) && !snapshot.isOwned($0)
    }
    .map { "\($0.name): is a monitor; name it to use it" }
  }

  private var nothingThere: String {
    switch monitors.count {
    case 0: "the server has no \(noun)"
    case 1: "the only source is a monitor; name it to use it"
    default: "the only sources are monitors; name one to use it"
    }
  }
}

extension Array {
  /// Itself, or another where it is empty.
  fileprivate func or(_ other: @autoclosure () -> [Element]) -> [Element] {
    isEmpty ? other() : self
  }
}
