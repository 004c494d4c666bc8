import PulseTypes

/// What an entry of a baseline records besides its values.
extension ServerSnapshot {
  /// The name of the card that a setting's device belongs to, or that it is a setting of.
  func cardName(of setting: Setting) -> String? {
    if setting.kind.device != nil { return device(of: setting).flatMap { card(of: $0) }?.name }
    return setting.kind.cardName ?? card(named: setting.object)?.name
  }

  /// What is plugged into the device whose port a setting is; nil of another setting.
  func jacks(of setting: Setting) -> [String: PortAvailability]? {
    guard case .port(let direction, let name) = setting,
      let device = device(direction, named: name)
    else { return nil }
    return Dictionary(device.ports.map { ($0.name, $0.availability) }) { first, _ in first }
  }

  /// The profile under which the device of a setting exists without the session; nil if the device has
  /// no card, or if only a profile that the session chose has it.
  ///
  /// - Parameter baselines: where the change of the profile may be recorded, the first one first.
  func profile(of setting: Setting, beside baselines: [Baseline]) -> String? {
    guard let device = setting.kind.device,
      let card = cardName(of: setting).flatMap({ self.card(named: $0) })
    else { return nil }
    let change = baselines.lazy.compactMap { $0[.cardProfile(card: card.name)] }.first
    guard let change, change.hasChosen(card.activeProfile) else { return card.activeProfile }
    guard case .name(let former) = change.before, let profile = card.profile(named: former),
      card.has(device, in: profile)
    else { return nil }
    return former
  }
}

extension Baseline.Entry {
  /// Whether the session chose the profile in use; the entry is that of the card's profile.
  func hasChosen(_ profile: String?) -> Bool {
    let now = profile.map(SettingValue.name) ?? .absent
    return now != before && isOurs(now)
  }
}
