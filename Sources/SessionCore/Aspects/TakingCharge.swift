import PulseTypes

/// The mode's levels for a device that the session begins to use, before programs play or record
/// through it.
///
/// A newly plugged-in device has its own levels: full volume, or a live microphone. So its port and
/// its levels are set before it becomes the default and before streams are moved to it. The phase
/// of the levels is later, for a device that is in use already.
struct TakingCharge: Planned {
  let direction: Direction
  var phase: Phase { .preferredDevices }

  var property: Property { LevelAspect(direction: direction).property }

  func targets(_ context: PlanContext) throws(SessionError) -> [Target] {
    let aspects = (Self.levels[direction] ?? []).filter { $0.preferred(context) != nil }
    // A device that a profile of this plan creates exists when the next plan is made.
    guard !aspects.isEmpty,
      let device = context.device(direction), !context.server.isPredicted(device.name),
      !context.snapshot.isOfOneProgram
    else { return [] }
    let port =
      context.decidedPort(of: device)
      ?? (device.canBeDefault ? device.activePort : device.bestPort?.name)
    let used = context.snapshot.chain.namesInUse(direction)
    let isUsed = context.snapshot.chain.defaultRoot(direction)?.name == device.name
    var targets: [Target] = []
    for aspect in aspects {
      targets += try aspect.targets(context).filter { target in
        let object = target.setting.object
        guard isUsed, object != device.name else {
          return !isUsed || context.isArriving(target.setting, port)
        }
        // A further one of combined outputs.
        return !used.contains(object) && !Owned.isName(object)
          && context.snapshot.device(direction, named: object) != nil
      }
    }
    guard targets.contains(where: { !$0.isLeft }) else { return [] }
    for at in targets.indices { targets[at].phase = phase }
    guard let port, port != device.activePort else { return targets }
    let target = Target(
      .port(direction),
      .port(direction, device: device.name), .name(port), phase: phase,
      why: "before the device is used")
    return [target] + targets
  }

  /// What a device has of its own.
  private static let levels: [Direction?: [any Aspect]] = Dictionary(
    grouping: allAspects.filter(\.isSetBeforeUse), by: { $0.direction(of: AudioMode()) })
}

extension PlanContext {
  /// The port of a device of the mode: the preferred one, or the one in use where the server refused that or
  /// it is left to another program; nil if no port is preferred.
  func decidedPort(of device: Device) -> String? {
    let setting = Setting.port(device.direction, device: device.name)
    guard input.refusals[setting] == nil, !input.yielded.contains(setting) else {
      return device.activePort
    }
    return resolved(device.direction)?.port?.name
  }

  /// Whether a device of the mode has not been given a level yet, or has returned since.
  func isArriving(_ setting: Setting, _ port: String?) -> Bool {
    guard let charges = input.charges, let device = setting.kind.charged(in: snapshot) else {
      return false
    }
    return charges.charge(of: setting, port: port)?.device != device.index
  }

  /// The target of a level on this occasion, and whether it is left alone.
  ///
  /// Users change levels, and only a lock forbids that: after a device was given the mode's level,
  /// the level is left to the user, and a device that returns gets the user's last one.
  func level(_ setting: Setting, _ wanted: SettingValue) -> (value: SettingValue, isLeft: Bool) {
    guard !keepsLevels(setting), let device = setting.kind.charged(in: snapshot) else {
      return (wanted, false)
    }
    // Several outputs have levels, and a port is preferred for the first one alone.
    let isMain = resolved(device.direction)?.name == device.name
    let port = (isMain ? decidedPort(of: device) : nil) ?? device.activePort
    guard isArriving(setting, port) else { return (wanted, true) }
    // A device may return with another number of channels.
    guard let charge = input.charges?.charge(of: setting, port: port)?.value,
      charge.volume?.values.count == wanted.volume?.values.count
    else { return (wanted, false) }
    return (charge, false)
  }

  /// Whether the mode keeps a level whatever the user does.
  func keepsLevels(_ setting: Setting) -> Bool {
    guard input.occasion == .upkeep || input.occasion == .asked && input.charges != nil else {
      return true
    }
    return snapshot.device(ofLevel: setting)?.direction == .input && mode.gainLock == true
  }
}
