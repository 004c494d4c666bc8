package import PulseTypes

extension ServerSnapshot {
  /// What may be changing the session's settings: modules that are made for it, and connected
  /// programs without a stream.
  package var likelyOpponents: [String] {
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
