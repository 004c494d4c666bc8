import PulseTypes

extension PropertyRow {
  static let outputCodec = PropertyRow(
    .outputCodec, { $1(&$0.outputCodec) }, "output.codec", .text, aspect: CodecAspect(),
    check: { (name, property, _) throws(SessionError) in try Check.name(name, property) })
}

/// The codec of a Bluetooth output.
struct CodecAspect: Aspect {
  let property = Property.outputCodec
  var phase: Phase { .category }

  func direction(of mode: AudioMode) -> Direction? { .output }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    guard let preference = context.mode.outputCodec, context.resolved(.output) != nil,
      let card = card(context)
    else { return [] }
    if context.server.changedCards.contains(card.name) { return [target(card, preference)] }
    guard card.codecs != nil else { return [] }
    guard let codec = card.codec(preference) else { throw Self.failure(card, preference) }
    return [target(card, codec.name)]
  }

  private func target(_ card: Card, _ name: String) -> Target {
    Target(property, .codec(card: card.name), .name(name), why: "preferred codec")
  }

  /// The Bluetooth card of the output.
  private func card(_ context: PlanContext) -> Card? {
    let name =
      context.resolved(.output)?.card?.name
      ?? context.shownDevice(.output).flatMap { context.snapshot.card(of: $0) }?.name
    return name.flatMap { context.snapshot.card(named: $0) }.flatMap { $0.isBluetooth ? $0 : nil }
  }

  func preferred(_ context: PlanContext) -> StateValue? {
    context.mode.outputCodec.map { .string($0) }
  }

  func actual(_ context: PlanContext) -> StateValue? {
    card(context)?.activeCodec.map { .string($0) }
  }

  func capture(_ setup: inout CapturedSetup, from source: CaptureSource) {
    guard let device = source.devices[.output], let card = source.snapshot.card(of: device),
      source.changed.contains(.codec(card: card.name))
    else { return }
    guard card.activeCodec.map({ DeviceMatcher.isSayable($0) }) ?? true else {
      return setup.left.append("the codec of \(card.name) has no name that a profile can hold")
    }
    setup.mode.outputCodec = card.activeCodec
  }

  func conditions(_ context: PlanContext) throws(Obstacle) -> [Condition] {
    guard let preference = context.mode.outputCodec else { return [] }
    if let error = context.resolution.waiting[.output] {
      throw Obstacle(.pending, error.message, .device)
    }
    guard let card = card(context) else {
      let name = context.device(.output)?.name ?? "the output"
      throw Obstacle(.unreachable, "\(name) is no Bluetooth device")
    }
    if let pending = context.awaitedProfile(card) { throw pending }
    guard card.codecs != nil else {
      throw Obstacle(.unreachable, "the server does not report the codecs of \(card.name)")
    }
    guard let codec = card.codec(preference) else {
      let failure = Self.failure(card, preference)
      throw Obstacle(
        .unreachable,
        failure.message + "; it offers " + failure.alternatives.joined(separator: ", "))
    }
    return [Condition(.codec(card: card.name), .name(codec.name))]
  }

  private static func failure(_ card: Card, _ preference: String) -> SessionError {
    SessionError(
      .codecNotSupported, stage: .device,
      "\(card.name) does not offer the codec '\(preference)' on profile "
        + "'\(card.profileInUse)'",
      property: .outputCodec, value: preference,
      alternatives: (card.codecs ?? []).map { codec in
        [codec.name, ""].contains(codec.description)
          ? codec.name : "\(codec.name) (\(codec.description))"
      })
  }

  func explain(_ result: inout Explanation, on snapshot: ServerSnapshot, _ facts: MachineFacts) {
    let card = snapshot.chain.defaultRoot(.output).flatMap { snapshot.card(of: $0) }
    guard let card, card.isBluetooth else {
      return result.causes = ["the output is no Bluetooth device"]
    }
    guard let codecs = card.codecs else {
      return result.causes = ["the server does not report the codecs of \(card.name)"]
    }
    let names = codecs.map { $0.name }.joined(separator: ", ")
    result.causes = [
      "\(card.name) offers on profile \(card.profileInUse): \(names)"
    ]
  }
}

extension Card {
  /// The codec for a user's word: the server's name or the description.
  func codec(_ preference: String) -> Codec? {
    func plain(_ text: String) -> String {
      String(text.lowercased().filter { $0.isLetter || $0.isNumber })
    }
    return codecs?.first { $0.name == preference }
      ?? codecs?.first {
        plain($0.name) == plain(preference) || plain($0.description) == plain(preference)
      }
  }
}
