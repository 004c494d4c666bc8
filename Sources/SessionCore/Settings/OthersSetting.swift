import PulseTypes

struct OthersSetting: SettingKind {
  let duckingPolicy: DuckingPolicy

  var object: String { "server" }
  var label: String { "\(duckingPolicy.rawValue) others" }
  var phase: Phase { .levels }
  var traits: SettingTraits { [.module, .makesObjects] }

  func devices(under value: SettingValue) -> [NamedDevice] { [] }

  func property(in snapshot: ServerSnapshot) -> Property { .options }

  func read(_ snapshot: ServerSnapshot) -> SettingValue? {
    let ours = snapshot.modules(of: duckingPolicy)
    guard ours.count <= 1 else { return .name("loaded \(ours.count) times") }
    return ours.first.flatMap { duckingPolicy.roles($0.name, $0.argument) }.map { .roles($0) }
      ?? SettingValue.absent
  }

  func predict(_ value: SettingValue, in server: inout PredictedServer) {
    let ours = Set(server.snapshot.modules(of: duckingPolicy).map(\.index))
    server.snapshot.modules.removeAll { ours.contains($0.index) }
    guard let argument = duckingPolicy.moduleArgument(value) else { return }
    _ = server.addModule(duckingPolicy.moduleName, argument)
  }

  func bracket(_ target: Target, from now: SettingValue?, in planner: inout Planner) {
    planner.endTrigger(target.phase, "it acts when its trigger comes")
    for other in DuckingPolicy.allCases where other != duckingPolicy && target.value != .absent {
      guard planner.server.value(of: .others(other)) != SettingValue.absent else { continue }
      planner.append(
        Target(.options, .others(other), .absent, phase: target.phase, why: "one at a time"))
    }
  }

  func requests(for value: SettingValue, in snapshot: ServerSnapshot) -> [ServerRequest]? {
    var result = snapshot.modules(of: duckingPolicy).map {
      ServerRequest.unloadModule($0.index, isSure: true)
    }
    if let argument = duckingPolicy.moduleArgument(value) {
      result.append(
        .loadModule(duckingPolicy.moduleName, argument: argument, keepingRates: nil))
    }
    return result
  }

  func written(in snapshot: ServerSnapshot) -> [ObjectID] { [.server] }
}
