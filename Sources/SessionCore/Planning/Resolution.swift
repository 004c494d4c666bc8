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

  /// The default before us of each direction, where the present one is not it.
  var defaultsBefore: [Direction: String] = [:]

  init(_ input: PlanInput) throws(SessionError) {
    let wish = input.wish
    let snapshot = input.snapshot
    defaultsBefore = input.knownDefaults
    for direction in Direction.allCases where wish.concerns(direction) {
      do throws(SessionError) {
        devices[direction] = try Resolver.resolve(
          input, direction, defaultBefore: defaultsBefore[direction])
      } catch {
        guard !wish.wish(direction).isRequired || !wish.requires(direction) else { throw error }
        waiting[direction] = error
      }
    }
    for card in snapshot.cards {
      let needs = devices.values.filter { $0.card?.name == card.name }
      guard !needs.isEmpty else { continue }
      profiles[card.name] = try ProfileChoice(card: card, needs: needs, wish: wish).choose()
    }
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
          input, direction, defaultBefore: result.defaultsBefore[direction])
      } catch {
        result.waiting[direction] = error
      }
    }
    for card in snapshot.cards {
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
  private var rejections: [String] = []
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
  static func resolve(
    _ input: PlanInput, _ direction: Direction, defaultBefore: String?
  ) throws(SessionError) -> Resolved {
    var resolver = Resolver(input, direction, defaultBefore)
    return try resolver.resolve()
  }

  private mutating func resolve() throws(SessionError) -> Resolved {
    let matchers = part.prefer ?? [.default]
    var passedOver: Resolved?
    for matcher in matchers {
      let candidates = preferringA2DP(
        snapshot.candidates(matcher, direction, defaultBefore: defaultBefore))
      for candidate in candidates {
        guard let resolved = accept(candidate, matcher) else { continue }
        guard candidate.isUnsteady(unsteady) else { return resolved }
        passedOver = passedOver ?? resolved
      }
      if candidates.isEmpty, matcher != .default {
        rejections.append("\(matcher): no such \(noun)")
      }
    }
    if let passedOver { return passedOver }
    throw failure(matchers)
  }

  /// A headset's A2DP device before its hands-free one, for a category that only plays: each has a
  /// name of its own, so that the profile alone cannot choose.
  private func preferringA2DP(_ candidates: [Candidate]) -> [Candidate] {
    guard wish.category?.directions == [.output], direction == .output, !wish.concerns(.input)
    else { return candidates }
    func isA2DP(_ candidate: Candidate) -> Bool {
      candidate.profiles.contains { $0.contains("a2dp") }
    }
    var result: [Candidate] = []
    for candidate in candidates where !result.contains(where: { $0.name == candidate.name }) {
      if let card = candidate.card, card.isBluetooth, !isA2DP(candidate),
        let better = candidates.first(where: { $0.card?.name == card.name && isA2DP($0) })
      {
        result.append(better)
      }
      result.append(candidate)
    }
    return result
  }

  private var noun: String { direction == .input ? "input" : "output" }

  private mutating func reject(_ candidate: Candidate, _ why: String) -> Resolved? {
    let text = "\(candidate.name): \(why)"
    if !rejections.contains(text) { rejections.append(text) }
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
    let unnamed = there.map(\.name).filter { name in
      !rejections.contains { $0.hasPrefix("\(name): ") }
    }
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
