package import PulseTypes

extension ServerSnapshot {
  /// What may keep changing a setting, the most likely first, at most three: `programs`, then
  /// modules that set such a setting by themselves. Empty if nothing points to one.
  package func opponents(of setting: Setting, _ programs: [String]) -> [String] {
    let modules = Self.modules(changing: setting.phase).filter { !self.modules(named: $0).isEmpty }
    // More than these are no answer.
    return Array((programs + modules).prefix(3))
  }

  /// The programs that are connected without a stream, the last connected first, each once: the
  /// server does not say who made a change, and these are what may make one.
  package var controllers: [String] {
    // By their places: a stream is large to copy.
    let users = [sinkInputs, sourceOutputs].reduce(into: Set<Index<Client>>()) { users, streams in
      for place in streams.indices { streams[place].client.map { _ = users.insert($0) } }
    }
    return clients.filter { client in
      !users.contains(client.index) && !isPartOfServer(client)
        && client.properties["application.id"]?.hasPrefix(Owned.applicationID) != true
        // The server's name for a client that has not told its own.
        && !client.name.isEmpty && !client.name.hasPrefix("Native client (")
    }.sorted { $0.index.rawValue > $1.index.rawValue }.map(\.name).unique
  }

  private func isPartOfServer(_ client: Client) -> Bool {
    client.properties["wireplumber.daemon"] == "true"
      || ["pipewire", "pipewire-pulse", "wireplumber", "pipewire-media-session"].contains(
        client.properties["application.process.binary"])
  }

  private static func modules(changing phase: Phase) -> [String] {
    switch phase {
    case .preferredDevices: ["module-switch-on-connect"]
    case .category, .port: ["module-switch-on-port-available", "module-bluetooth-policy"]
    case .levels: ["module-device-restore", "module-role-cork", "module-role-ducking"]
    case .channelMap: ["module-filter-apply", "module-stream-restore"]
    case .sampleRate, .ioBufferDuration: []
    }
  }
}
