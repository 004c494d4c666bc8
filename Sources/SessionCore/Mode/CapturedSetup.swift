package import PulseTypes

/// A server's current setup as a mode: what `profiles save` writes.
///
/// It has only what differs from the server's own defaults, and names devices by their stable
/// properties. Applying it at once changes nothing.
package struct CapturedSetup: Sendable, Hashable {
  package var mode = AudioMode()
  /// All inputs, for a profile's `[match]`.
  package var inputs: [DeviceMatcher] = []
  package var outputs: [DeviceMatcher] = []
  /// The devices in use, for users: `USB Microphone, Built-in Audio`; empty without any.
  package var summary = ""
  /// The current device of a property, for users.
  package var notes: [Property: String] = [:]
  /// Settings that a profile cannot express, for users.
  package var left: [String] = []

  /// Captures the setup of a server.
  ///
  /// - Parameters:
  ///   - snapshot: the server.
  ///   - current: the mode in effect, if any: its category, mode, options and policies are part of the
  ///     setup, though no server shows them.
  ///   - baseline: the settings that the session changed. They are part of the setup even if they
  ///     equal the server's defaults, because a setting that a profile does not name is restored.
  package init(of snapshot: ServerSnapshot, current: AudioMode? = nil, baseline: Baseline = .init())
  {
    let source = CaptureSource(snapshot, current, baseline, left: &left)
    // The device's properties first: the direction of the hints depends on them.
    for isOfDevice in [true, false] {
      for row in Property.rows where (row.table != nil) == isOfDevice {
        row.aspect?.capture(&self, from: source)
      }
    }
    if let current { adopt(current, source) }
    inputs = snapshot.stableMatchers(.input)
    outputs = snapshot.stableMatchers(.output)
    summary = Direction.allCases.compactMap { source.roots[$0] }
      .map { $0.description.isEmpty ? $0.name : $0.description }.unique.joined(separator: ", ")
  }

  /// Adopts the policies, which no server shows.
  private mutating func adopt(_ current: AudioMode, _ source: CaptureSource) {
    let notCaptured: Set<Property> = [.strict, .scope, .inputRequired, .outputRequired]
    for row in Property.rows where row.aspect == nil && !notCaptured.contains(row.property) {
      row.fill(&mode, current)
    }
    if mode.inputGain == nil { mode.gainLock = nil }
    if source.roots[.input] == nil { mode.moveInputStreams = nil }
    if source.roots[.output] == nil { mode.moveOutputStreams = nil }
  }
}

extension ServerSnapshot {
  /// All usable devices, by their stable properties.
  fileprivate func stableMatchers(_ direction: Direction) -> [DeviceMatcher] {
    hardware(direction).filter(\.isUsable).compactMap {
      stableMatcher(for: $0, isItself: false)
    }.unique
  }
}
