import PulseTypes

/// Finds the device of one direction.
struct Resolver {
  let mode: AudioMode
  let part: DirectionPreferences
  let direction: Direction
  let snapshot: ServerSnapshot
  let defaultBefore: String?
  /// Flapping devices and ports, used only if there is no other.
  let unsteady: Set<Attachment>
  /// Cards whose profile the server refused, or another program keeps changing; they are used as they are.
  let fixedCards: Set<String>
  /// The input.
  let microphone: Resolved?
  var rejections: [String] = []
  /// The names of the rejected devices, with the reasons.
  var rejected: [String: Set<String>] = [:]
  var isPortAtFault = false

  /// - Parameter microphone: the input, if it is resolved already.
  init(
    _ input: PlanInput, _ direction: Direction, defaultBefore: String?,
    microphone: Resolved? = nil
  ) {
    mode = input.mode
    self.direction = direction
    snapshot = input.snapshot
    self.defaultBefore = defaultBefore
    part = mode.preferences(direction)
    unsteady = input.unsteady
    fixedCards = Set(
      input.snapshot.cards.map(\.name).filter { card in
        let setting = Setting.cardProfile(card: card)
        return input.refusals[setting] != nil || input.yielded.contains(setting)
      })
    self.microphone = microphone
  }

  /// Resolves to the first usable candidate of the first matcher that has one.
  mutating func resolve() throws(SessionError) -> Resolved {
    let matchers = part.prefer ?? [.default]
    var passedOver: Resolved?
    for matcher in matchers {
      if let resolved = resolveExisting(matcher) { return resolved }
      let candidates = preferringProfile(
        snapshot.candidates(matcher, direction, defaultBefore: defaultBefore)
          .filter { $0.exists || !snapshot.isOfOneProgram })
      for candidate in candidates {
        guard let resolved = accept(candidate, matcher) else { continue }
        let isFixed = candidate.card.map { fixedCards.contains($0.name) } ?? false
        guard candidate.isUnsteady(unsteady) || isFixed && !candidate.exists else {
          return resolved
        }
        passedOver = passedOver ?? resolved
      }
      if candidates.isEmpty, matcher != .default {
        rejections.append("\(matcher): no such \(direction.rawValue)\(missingProfile(matcher))")
      }
    }
    if let passedOver { return passedOver }
    throw failure(matchers)
  }

  /// Resolves to an existing device that no other candidate can precede; nil if the candidates that
  /// profiles would create, or flapping devices, may matter. Predicting those takes most of the time.
  private mutating func resolveExisting(_ matcher: DeviceMatcher) -> Resolved? {
    for device in snapshot.existing(matcher, direction, defaultBefore: defaultBefore) {
      let candidate = snapshot.candidate(existing: device)
      // A headset has a device for each profile: see `preferringProfile`.
      if direction == .output, candidate.card?.isBluetooth == true { return nil }
      guard let resolved = accept(candidate, matcher) else { continue }
      return candidate.isUnsteady(unsteady) ? nil : resolved
    }
    return nil
  }

  mutating func reject(_ candidate: Candidate, _ why: String) -> Resolved? {
    if rejected[candidate.name, default: []].insert(why).inserted {
      rejections.append("\(candidate.name): \(why)")
    }
    return nil
  }

  private mutating func accept(_ candidate: Candidate, _ matcher: DeviceMatcher) -> Resolved? {
    if candidate.isCallMicrophone, mode.options?.contains(.allowBluetoothHFP) != true {
      return reject(candidate, "a Bluetooth microphone needs options = [\"allow-bluetooth-hfp\"]")
    }
    let device = candidate.device
    let types = matcher.portTypes
    let wanted = part.port ?? types.map(PortMatcher.type).or(speaker(of: device))
    guard device.isUsable else { return reject(candidate, "nothing is plugged in") }
    guard !device.ports.isEmpty, !wanted.isEmpty else {
      return Resolved(candidate: candidate, isDefault: matcher == .default)
    }
    guard let port = port(wanted, of: device, having: types) else {
      isPortAtFault = true
      let names = part.port == nil ? wanted : wanted + types.map(PortMatcher.type)
      return reject(candidate, Self.portReason(names, device))
    }
    guard !snapshot.isOfOneProgram || port.name == device.activePort else {
      isPortAtFault = true
      return reject(
        candidate,
        "its port is \(device.activePort ?? "none"), and scope \"application\" changes no port")
    }
    return Resolved(
      candidate: candidate, port: port, isPreferredByPort: part.port == nil && !types.isEmpty,
      isDefault: matcher == .default)
  }
}

extension Array {
  /// The array itself, or another one if it is empty.
  fileprivate func or(_ other: @autoclosure () -> [Element]) -> [Element] {
    isEmpty ? other() : self
  }
}
