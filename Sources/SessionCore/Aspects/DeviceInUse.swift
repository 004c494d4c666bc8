import PulseTypes

extension PlanContext {
  /// The context for a report on a direction's device if the device in use is another one than the
  /// mode's; nil if they are the same.
  ///
  /// Programs get the device in use, the root of the route, so its values count. A default that an
  /// earlier step of the plan removes is not known yet.
  func onDeviceInUse(_ direction: Direction) -> (context: PlanContext, detour: String)? {
    guard !server.unknownDefaults.contains(direction), let meant = device(direction),
      let used = deviceInUse(direction, beside: meant), used.name != meant.name
    else { return nil }
    var resolution = resolution
    resolution.devices[direction] = Resolved(candidate: snapshot.candidate(existing: used))
    return (
      PlanContext(input: input, server: server, resolution: resolution),
      "\(used.name) is in use, not \(meant.name)"
    )
  }

  /// The default's device; of a session of one program, that of its streams, where none is on the mode's.
  private func deviceInUse(_ direction: Direction, beside meant: Device) -> Device? {
    guard snapshot.isOfOneProgram else { return snapshot.chain.defaultRoot(direction) }
    let end = snapshot.viewersDevice(direction, beside: meant)
    return end.flatMap { snapshot.chain.root(of: $0) }
  }
}
