import PulseTypes

extension Resolver {
  /// All existing usable outputs that match, in the order of the matchers; without matchers all
  /// that do not play into another one. Also returns why others do not qualify.
  static func all(
    _ input: PlanInput, _ direction: Direction, defaultBefore: String?
  ) -> (names: [String], rejections: [String]) {
    var resolver = Resolver(input, direction, defaultBefore: defaultBefore)
    var names: [String] = []
    var seen: Set<String> = []
    for matcher in resolver.part.prefer ?? [.name("*")] {
      var found = input.snapshot.candidates(matcher, direction, defaultBefore: defaultBefore)
        .filter(\.exists)
      if matcher == .default { found = Array(found.prefix(1)) }
      for candidate in found where !seen.contains(candidate.name) {
        let device = candidate.device
        let isPlugged = device.ports.isEmpty || !device.ports(having: matcher.portTypes).isEmpty
        if !isPlugged || !device.isUsable {
          _ = resolver.reject(candidate, "nothing is plugged in")
        } else if resolver.part.prefer == nil,
          let next = input.snapshot.origins(of: device).dropFirst().first
        {
          _ = resolver.reject(candidate, "plays into \(next.name); name it to use it")
        } else if candidate.isUnsteady(input.unsteady) {
          _ = resolver.reject(candidate, "is plugged in and unplugged repeatedly")
        } else {
          seen.insert(candidate.name)
          names.append(candidate.name)
        }
      }
      if found.isEmpty { resolver.rejections.append("\(matcher): no such output") }
    }
    let others = input.snapshot.hardware(direction).map(\.name).filter { name in
      !seen.contains(name) && resolver.rejected[name] == nil
    }
    return (names, resolver.rejections + others.map { "\($0): connected, but not asked for" })
  }
}
