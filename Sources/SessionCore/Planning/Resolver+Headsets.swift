import PulseTypes

extension Resolver {
  /// For a headset, the device of the required profile, because each profile's device has another
  /// name: A2DP for a category that only plays, and if the microphone is another device; the
  /// microphone's profile if the headset is the microphone.
  func preferringProfile(_ candidates: [Candidate]) -> [Candidate] {
    guard direction == .output else { return candidates }
    let onlyPlays = mode.category?.directions == [.output] && !mode.concerns(.input)
    guard onlyPlays || microphone != nil else { return candidates }
    func isRight(_ candidate: Candidate) -> Bool {
      let profiles = candidate.card?.profiles ?? []
      if let microphone, microphone.card?.name == candidate.card?.name {
        return profiles.contains { candidate.isGiven(by: $0) && microphone.isGiven(by: $0) }
      }
      return profiles.contains { $0.name.contains("a2dp") && candidate.isGiven(by: $0) }
    }
    var result: [Candidate] = []
    var seen: Set<String> = []
    for candidate in candidates where !seen.contains(candidate.name) {
      if let card = candidate.card, card.isBluetooth, !isRight(candidate),
        let better = candidates.first(where: { $0.card?.name == card.name && isRight($0) })
      {
        seen.insert(better.name)
        result.append(better)
      }
      seen.insert(candidate.name)
      result.append(candidate)
    }
    return result
  }

  /// A headset's microphone profile may be listed a while after the headset itself.
  func missingProfile(_ matcher: DeviceMatcher) -> String {
    guard direction == .input, mode.options?.contains(.allowBluetoothHFP) == true,
      let card = snapshot.cards.first(where: { $0.lacksMicrophone && $0.couldBe(matcher) })
    else { return "" }
    return " yet: \(card.name) lists no profile with a microphone; required = false waits for it"
  }
}
