/// A preference that the server grants if it can; if it is not met, that is a warning unless it is
/// in `strict`.
public enum Hint: String, Sendable, Hashable, Codable, CaseIterable {
  /// The preferred sample rate.
  case sampleRate = "sample-rate"
  /// The preferred IO buffer duration.
  case bufferDuration = "buffer-duration"
}

extension Hint {
  /// The property of the mode that it is.
  package var property: Property {
    switch self {
    case .sampleRate: .sampleRate
    case .bufferDuration: .ioBufferDuration
    }
  }

  package static let properties = allCases.map(\.property)
}

extension AudioMode {
  /// Whether the mode sets a hint.
  var hasHints: Bool { Hint.properties.contains { $0.row.isSet(self) } }
}
