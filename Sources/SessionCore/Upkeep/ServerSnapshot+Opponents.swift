public import PulseTypes

extension ServerSnapshot {
  /// Who may be changing settings that the session sets: modules that do so by trade, and programs
  /// that are connected and have no stream.
  public var likelyOpponents: [String] {
    let policies = [
      "module-switch-on-connect", "module-switch-on-port-available", "module-stream-restore",
      "module-device-restore", "module-default-device-restore", "module-bluetooth-policy",
      "module-role-cork", "module-role-ducking", "module-intended-roles", "module-filter-apply",
    ]
    let loaded = modules.map(\.name).filter(policies.contains)
    let users = Set((sinkInputs + sourceOutputs).compactMap(\.client))
    let quiet = clients.filter { client in
      !users.contains(client.index) && client.properties["application.id"] != Owned.applicationID
    }
    return quiet.map(\.name) + Set(loaded).sorted()
  }
}
