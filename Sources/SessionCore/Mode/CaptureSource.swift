import PulseTypes

struct CaptureSource {
  let snapshot: ServerSnapshot
  /// The mode in effect.
  let current: AudioMode?
  /// The settings that the session changed.
  let changed: Set<Setting>
  /// The hardware in use.
  let roots: [Direction: Device]
  /// The hardware in use that a profile can name.
  let devices: [Direction: Device]

  /// - Parameter left: gets why a device cannot be in a profile.
  init(
    _ snapshot: ServerSnapshot, _ current: AudioMode?, _ baseline: Baseline, left: inout [String]
  ) {
    self.snapshot = snapshot
    self.current = current
    changed = Set(baseline.valid(for: snapshot).entries.filter(\.isChange).map(\.setting))
    var roots: [Direction: Device] = [:]
    var devices: [Direction: Device] = [:]
    for direction in Direction.allCases {
      // A monitor that a user made the default counts, a dummy does not.
      guard let device = snapshot.chain.defaultRoot(direction), !snapshot.isDummy(device) else {
        continue
      }
      roots[direction] = device
      if !device.isUsable {
        left.append("\(device.name) is the default, and nothing is plugged into it")
      } else if snapshot.stableMatcher(for: device) == nil {
        left.append("\(device.name) has no name that a profile can hold")
      } else {
        devices[direction] = device
      }
    }
    (self.roots, self.devices) = (roots, devices)
  }

  /// The device to which a mode's rate and buffer apply.
  func hintDevice(of mode: AudioMode) -> Device? {
    mode.concerns(mode.hintDirection) ? roots[mode.hintDirection] : nil
  }
}
