/// What happens to other programs' streams while a session is active: a holder mutes or lowers each of them,
/// and undoes that (`OtherStreams.swift`).
package enum DuckingPolicy: String, Sendable, Hashable, Codable, CaseIterable {
  /// Silences them.
  case silence
  /// Lowers them by 20 dB.
  case duck
  /// Silences streams that declare themselves speech.
  case interruptSpeech = "interrupt-speech"
  /// Silences streams that declare themselves speech, and lowers the others by 20 dB.
  case duckAndInterrupt = "duck-and-interrupt"

  /// The role of speech streams: no server knows it, programs may set it.
  package static let speechRole = "speech"

  /// By how many dB others are lowered.
  static let lowering = 20
}

extension AudioMode {
  /// What the mode does to others, and to which roles; nil if its options do not affect others.
  ///
  /// Never affects screen readers, event sounds or calls, nor the mode's own role, for which the
  /// session exists.
  var duckingPolicy: (kind: DuckingPolicy, roles: [String])? {
    let own = mode?.mediaRole
    let all: [String] = [
      "no_role", "video", "music", "game", "animation", "production", "test",
      DuckingPolicy.speechRole,
    ]
    let roles = all.filter { $0 != own }
    func asks(_ option: CategoryOption) -> Bool { options?.contains(option) == true }
    let interrupts = asks(.interruptSpokenAudio) && roles.contains(DuckingPolicy.speechRole)
    if asks(.silenceOthers) || category == .soloAmbient { return (.silence, roles) }
    if asks(.duckOthers) { return (interrupts ? .duckAndInterrupt : .duck, roles) }
    return interrupts ? (.interruptSpeech, [DuckingPolicy.speechRole]) : nil
  }
}

extension Mode {
  /// The `media.role` of streams for this use; nil if there is none.
  package var mediaRole: String? {
    switch self {
    case .default, .measurement: nil
    case .voiceChat, .videoChat: "phone"
    case .gameChat: "game"
    case .moviePlayback: "video"
    case .videoRecording: "production"
    case .spokenAudio: DuckingPolicy.speechRole
    }
  }

  /// The role of this program's own streams. Not that of a call, because a desktop then pauses
  /// others.
  package var ownRole: String? { mediaRole == "phone" ? nil : mediaRole }
}
