/// What happens to other programs' streams while a session is active.
///
/// A module of the server does it while a silent stream of the session, the *trigger*, exists: the
/// server undoes it by itself when the trigger ends, for whatever reason, and stores nothing of it
/// for the streams' next time. Without such a module the holder mutes or lowers each stream, and
/// undoes that (`OtherStreams.swift`).
package enum DuckingPolicy: String, Sendable, Hashable, Codable, CaseIterable {
  /// Silences them.
  case silence
  /// Lowers them by 20 dB.
  case duck
  /// Silences streams that declare themselves speech.
  case interruptSpeech = "interrupt-speech"
  /// Silences streams that declare themselves speech, and lowers the others by 20 dB.
  case duckAndInterrupt = "duck-and-interrupt"

  /// The role of the session's own streams, which are left alone.
  package static let ownRole = "audiosession"
  /// The role of speech streams: no server knows it, programs may set it.
  package static let speechRole = "speech"

  /// By how many dB others are lowered, like the default of `module-role-ducking`.
  static let lowering = 20

  /// The module that does it; a server loads it once.
  ///
  /// Not `module-role-cork`, which could pause others: desktops load that one already.
  package var moduleName: String { "module-role-ducking" }

  /// The arguments for loading the module for a value of the setting. The second trigger
  /// distinguishes our modules from others.
  ///
  /// What affects only speech is a separate group, with another trigger and volume.
  package func moduleArgument(_ value: SettingValue) -> String? {
    guard case .roles(let roles) = value else { return nil }
    let groups =
      self == .duckAndInterrupt
      ? [roles.filter { $0 != Self.speechRole }, [Self.speechRole]] : [roles]
    return ModuleArguments.render([
      ("trigger_roles", .text(triggers)),
      ("ducking_roles", .text(groups.map { $0.joined(separator: ",") }.joined(separator: "/"))),
      ("volume", .text(volumes)),
      ("global", .text("yes")),
    ])
  }

  private var triggers: String {
    let first = "\(Self.ownRole),\(mark)"
    return self == .duckAndInterrupt ? "\(first)/\(Self.ownRole)" : first
  }

  private var volumes: String {
    switch self {
    case .silence, .interruptSpeech: "0"
    case .duck: "-\(Self.lowering)dB"
    case .duckAndInterrupt: "-\(Self.lowering)dB/0"
    }
  }

  /// The roles that one of our modules treats; nil for other modules.
  func roles(_ name: String, _ argument: String) -> [String]? {
    guard name == moduleName else { return nil }
    let words = argument.split(separator: " ")
    guard words.contains("trigger_roles=\(triggers)") else { return nil }
    return words.filter { $0.hasPrefix("ducking_roles=") }.flatMap {
      $0.dropFirst(14).split { $0 == "," || $0 == "/" }.map(String.init)
    }
  }

  private var mark: String { "\(Self.ownRole).\(rawValue)" }
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
