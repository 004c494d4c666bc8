import PulseTypes

extension Planner {
  /// Unloads the links on devices, starting with the farthest.
  mutating func unload(linksOn devices: [Device], phase: Phase, _ why: String) {
    for link in Setting.links.reversed() {
      let stands = server.snapshot.chain.devices(of: link).contains { owned in
        devices.contains { device in
          device.direction == owned.direction && device.name != owned.name
            && server.snapshot.chain.stands(owned, on: device)
        }
      }
      if stands { unload(link, phase: phase, why) }
    }
  }

  mutating func unload(_ link: Setting, phase: Phase, _ why: String) {
    unload(linksOn: server.snapshot.chain.devices(of: link), phase: phase, why)
    release(link, phase: phase, why)
    append(Target(link.kind.property(in: server.snapshot), link, .absent, phase: phase, why: why))
  }

  /// Prepares for the removal of a link: moves the default to the hardware, and copies a mute from
  /// the link to the hardware, so that no microphone opens.
  mutating func release(_ link: Setting, phase: Phase, _ why: String) {
    for owned in server.snapshot.chain.devices(of: link) {
      let direction = owned.direction
      let root = server.snapshot.chain.root(of: owned)?.name ?? resolution.devices[direction]?.name
      guard let root, let device = server.snapshot.device(direction, named: root) else { continue }
      if owned.isMuted, !device.isMuted {
        append(
          Target(
            .muted(direction), .mute(direction, device: root),
            .flag(true), phase: phase, isPermanent: true,
            why: "\(owned.name) is muted, and its mute would go with it"))
      }
      // With an unplugged port the hardware cannot be the default; the server then chooses another.
      guard server.snapshot.server.defaultName(direction) == owned.name, device.canBeDefault else {
        continue
      }
      append(
        Target(
          .device(direction), .defaultDevice(direction),
          .name(root), phase: phase, why: "before \(owned.name) goes: \(why)"))
    }
  }
}
