import PulseTypes

extension Resolver {
  func failure(_ matchers: [DeviceMatcher]) -> SessionError {
    let property = Property.device(direction)
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
      ? "the \(direction.rawValue) has none of the preferred ports"
      : "no usable \(direction.rawValue) for \(Words.list(matchers.map { "'\($0)'" }, last: "or"))"
    return SessionError(
      code, stage: .device, there.isEmpty ? "\(message): \(nothingThere)" : message,
      property: isPortAtFault ? .port(direction) : property, value: value,
      alternatives: rejections + unnamed.map { "\($0): connected, but not asked for" }
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
    case 0: "the server has no \(direction.rawValue)"
    case 1: "the only source is a monitor; name it to use it"
    default: "the only sources are monitors; name one to use it"
    }
  }
}
