import PulseTypes

extension PlanContext {
  /// The context for a report on a direction's device if the device in use is another one than the
  /// mode's; nil if they are the same.
  ///
  /// Programs get the device in use, the root of the route, so its values count. A session of one
  /// program has a separate route, and a default that an earlier step of the plan removes is not
  /// known yet.
  func onDeviceInUse(_ direction: Direction) -> (context: PlanContext, detour: String)? {
    guard !snapshot.isOfOneProgram, !server.unknownDefaults.contains(direction),
      let meant = device(direction), let used = snapshot.chain.defaultRoot(direction),
      used.name != meant.name
    else { return nil }
    var resolution = resolution
    resolution.devices[direction] = Resolved(candidate: snapshot.candidate(existing: used))
    return (
      PlanContext(input: input, server: server, resolution: resolution),
      "\(used.name) is in use, not \(meant.name)"
    )
  }
}
