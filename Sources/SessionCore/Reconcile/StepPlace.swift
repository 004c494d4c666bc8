package import PulseTypes

/// The device of a step and the port in use: on a device that has returned, or on another port, a step has
/// not done what its plan wanted, whatever the value there.
package struct StepPlace: Sendable, Equatable {
  package var device: Index<Device>?
  var port: String?
}

extension ServerSnapshot {
  /// Where a step acts now. A level is set on the port in use, and a server passes over a default device
  /// whose port is not available.
  package func place(of step: Step) -> StepPlace {
    let chosen = newDefault(of: step)
    let device = chosen ?? self.device(of: step.setting)
    let hasPort = chosen != nil || step.setting.isLevel
    return StepPlace(device: device?.index, port: hasPort ? device?.activePort : nil)
  }

  /// Whether a default has no effect because nothing is plugged into its device.
  package func passesOver(_ step: Step) -> Bool { newDefault(of: step)?.canBeDefault == false }

  private func newDefault(of step: Step) -> Device? {
    guard let direction = step.setting.defaultDirection, case .name(let name) = step.to
    else { return nil }
    return device(direction, named: name)
  }
}
