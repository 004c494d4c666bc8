import PulseTypes

/// Chooses the profile that a card needs for its required devices.
///
/// Keeps the current one if it is sufficient; otherwise prefers a usable one that also keeps the
/// other direction, then the highest priority. Never off or pro-audio.
struct ProfileChoice {
  let card: Card
  let needs: [Resolved]
  let mode: AudioMode

  func choose() throws(SessionError) -> String {
    let isLeaving = card.active.map(shouldLeaveHandsFree) ?? false
    if let active = card.active, gives(active), !isLeaving { return active.name }
    let usable = card.choosableProfiles.filter {
      gives($0) && (!isLeaving || $0.name.has("a2dp"))
    }
    guard let best = usable.max(by: { rank($0) < rank($1) }) else { throw failure }
    return best.name
  }

  private func gives(_ profile: CardProfile) -> Bool {
    needs.allSatisfy { $0.isGiven(by: profile) }
  }

  /// Whether to prefer A2DP because the card's microphone is not needed, whichever other microphone
  /// is in use: the hands-free profile is for calls. A mode that chooses no output leaves it.
  private func shouldLeaveHandsFree(_ active: CardProfile) -> Bool {
    guard card.isBluetooth, mode.category != nil || mode.preferences(.output).prefer != nil,
      !needs.contains(where: { $0.device.direction == .input }),
      active.isHandsFree
    else { return false }
    return card.choosableProfiles.contains { $0.name.has("a2dp") && gives($0) }
  }

  /// Prefers a profile that keeps the other direction, then the same device, then A2DP for
  /// playback, then priority.
  ///
  /// The same device, because a user who starts to record must not lose the screen that plays the
  /// sound.
  private func rank(_ profile: CardProfile) -> UInt64 {
    let kept = Direction.allCases.filter { direction in
      (card.active?.count(direction) ?? 0) > 0 && profile.count(direction) > 0
    }
    let same = kept.filter { card.active?.parts($0) == profile.parts($0) }
    let isA2DP = card.isBluetooth && profile.name.has("a2dp")
    return UInt64(kept.count) << 40 + UInt64(same.count) << 38 + (isA2DP ? 1 << 36 : 0)
      + UInt64(profile.priority)
  }

  private var failure: SessionError {
    let wanted = needs.map { need in
      "\(need.device.direction.rawValue) '\(need.port?.name ?? need.name)'"
    }
    return SessionError(
      .categoryNotSupported, stage: .device,
      "no usable profile of \(card.name) gives \(Words.list(wanted))", property: .category,
      value: mode.category?.rawValue,
      alternatives: card.profiles.map { profile in
        "\(profile.name): \(profile.isAvailable ? "does not give all of it" : "not available now")"
      })
  }
}
