import PulseTypes

extension PlanContext {
  /// What an unresolved direction waits for: the profile of a connected headset, or a device.
  func waitingFor(_ direction: Direction) -> WaitingFor {
    guard direction == .input, mode.options?.contains(.allowBluetoothHFP) == true,
      let prefer = mode.preferredInput
    else { return .device }
    let comes = snapshot.cards.contains { card in
      card.lacksMicrophone && prefer.contains { card.couldBe($0) }
    }
    return comes ? .profile : .device
  }
}

extension Card {
  /// Whether it is a headset whose microphone profile is not listed or not usable yet.
  var lacksMicrophone: Bool {
    isBluetooth && !choosableProfiles.contains { $0.sourceCount > 0 }
  }

  /// Whether a matcher could match the microphone that the card may get later: by its name, a
  /// property of the card, or its type.
  func couldBe(_ matcher: DeviceMatcher) -> Bool {
    guard name.hasPrefix("bluez_card.") else { return false }
    let address = name.dropFirst("bluez_card.".count)
    let names = [
      "bluez_source.\(address).headset_head_unit", "bluez_source.\(address).handsfree_head_unit",
      "bluez_input.\(address)", "bluez_input.\(address).0",
    ]
    switch matcher {
    case .default: return false
    case .name(let pattern): return names.contains(where: Glob(pattern).matches)
    case .properties(let wanted):
      return wanted.allSatisfy { key, pattern in
        properties[key].map(Glob(pattern).matches) == true
      }
    case .formFactor(let form): return properties["device.form_factor"] == form
    case .portType(let type): return type == .bluetoothHFP || type == .headsetMic
    case .all(let parts): return parts.allSatisfy { couldBe($0) }
    }
  }
}
