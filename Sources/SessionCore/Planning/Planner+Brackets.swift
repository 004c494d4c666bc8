import PulseTypes

extension Planner {
  /// A stream on a link whose master goes away is killed, and a loaded link keeps its master
  /// running, which blocks its rate. So the chain goes first, and comes back in its own phase.
  mutating func bracket(_ target: Target, _ now: SettingValue?) {
    switch target.setting {
    case .cardProfile(let name), .codec(let name):
      guard let card = world.snapshot.card(named: name) else { return }
      let devices = (world.snapshot.sources + world.snapshot.sinks).filter { $0.card == card.index }
      unload(linksOn: devices, phase: target.phase, "its master may go with the profile")
    case .rate(let direction, let device):
      // PipeWire's graph takes a forced rate whatever runs.
      guard !world.snapshot.hasGraph else { return }
      if direction == .output { endTrigger(target.phase, "a stream that plays blocks the rate") }
      let devices = world.snapshot.device(direction, named: device).map { [$0] } ?? []
      unload(linksOn: devices, phase: target.phase, "it keeps its master running at its rate")
    case .others(let treatment):
      endTrigger(target.phase, "it acts when its trigger comes")
      for other in Treatment.allCases where other != treatment && target.value != .absent {
        guard world.value(of: .others(other)) != SettingValue.absent else { continue }
        append(
          Target("options", .others(other), .absent, phase: target.phase, why: "one at a time"))
      }
    case .chain, .echoCanceller, .combination:
      unload(linksOn: world.snapshot.devices(of: target.setting), phase: target.phase, target.why)
      if target.value == .absent {
        release(target.setting, phase: target.phase, target.why)
      } else if now != SettingValue.absent {
        unload(target.setting, phase: target.phase, "another one takes its place")
      }
    default: break
    }
  }

  private mutating func endTrigger(_ phase: Phase, _ why: String) {
    guard world.value(of: .trigger) == .flag(true) else { return }
    append(Target("options", .trigger, .absent, phase: phase, why: why))
  }

  /// Unloads what stands on devices, the farthest from them first.
  private mutating func unload(linksOn devices: [Device], phase: Phase, _ why: String) {
    for link in Setting.links.reversed() {
      let stands = world.snapshot.devices(of: link).contains { owned in
        devices.contains { device in
          device.direction == owned.direction && device.name != owned.name
            && world.snapshot.stands(owned, on: device)
        }
      }
      if stands { unload(link, phase: phase, why) }
    }
  }

  private mutating func unload(_ link: Setting, phase: Phase, _ why: String) {
    unload(linksOn: world.snapshot.devices(of: link), phase: phase, why)
    release(link, phase: phase, why)
    append(Target(link.stateProperty, link, .absent, phase: phase, why: why))
  }

  /// What must be so before a link may go: the default on the hardware, and a mute that somebody set
  /// on the link copied to the hardware, lest a microphone opens.
  private mutating func release(_ link: Setting, phase: Phase, _ why: String) {
    for owned in world.snapshot.devices(of: link) {
      let direction = owned.direction
      let root = world.snapshot.root(of: owned)?.name ?? resolution.devices[direction]?.name
      guard let root, let device = world.snapshot.device(direction, named: root) else { continue }
      if owned.isMuted, !device.isMuted {
        append(
          Target(
            direction == .input ? "inputMuted" : "outputMuted", .mute(direction, device: root),
            .flag(true), phase: phase, isPermanent: true,
            why: "\(owned.name) is muted, and its mute would go with it"))
      }
      // With an unplugged port the hardware cannot be the default; the server then chooses another.
      guard world.snapshot.server.defaultName(direction) == owned.name, device.canBeDefault else {
        continue
      }
      append(
        Target(
          direction == .input ? "preferredInput" : "preferredOutput", .defaultDevice(direction),
          .name(root), phase: phase, why: "before \(owned.name) goes: \(why)"))
    }
  }
}
