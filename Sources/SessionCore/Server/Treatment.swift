/// What happens to the streams of others while a session is active.
///
/// A module of the server does it, as long as a silent stream of the session, the *trigger*, is there:
/// the server undoes it by itself when the trigger ends, however the session's process ended, and
/// saves nothing of it for the streams' next time. Where there is no such module the process that
/// holds mutes or lowers each stream, and undoes that (`OtherStreams.swift`).
public enum Treatment: String, Sendable, Hashable, Codable, CaseIterable {
  /// They are lowered to nothing.
  case silence
  /// They are lowered by 20 dB.
  case duck
  /// Those that say they are speech are lowered to nothing.
  case interruptSpeech = "interrupt-speech"
  /// Those that say they are speech are lowered to nothing, the rest by 20 dB.
  case duckAndInterrupt = "duck-and-interrupt"

  /// The role of the session's own streams: they are left alone.
  public static let ownRole = "audiosession"
  /// The role of a stream that is speech: no server knows it, programs may say it.
  public static let speechRole = "speech"

  /// By how many dB others are lowered; `module-role-ducking` does so by default.
  static let lowering = 20

  /// The module that does it; a server loads it once.
  ///
  /// Not `module-role-cork`, which could ask others to pause: a desktop has that already.
  public var moduleName: String { "module-role-ducking" }

  /// The arguments to load the module with. The second trigger tells our modules apart.
  ///
  /// What is done to speech alone is a group of its own, with its own trigger and volume.
  func moduleArgument(_ roles: [String]) -> String {
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

  /// The arguments for a value of the setting.
  public func moduleArgument(_ value: SettingValue) -> String? {
    guard case .roles(let roles) = value else { return nil }
    return moduleArgument(roles)
  }

  /// The roles that a module of ours for this treats; nil for any other module.
  func roles(_ name: String, _ argument: String) -> [String]? {
    guard name == moduleName else { return nil }
    let words = argument.split(separator: " ")
    guard words.contains("trigger_roles=\(triggers)") else { return nil }
    let roles = words.first { $0.hasPrefix("ducking_roles=") }?.dropFirst(14) ?? ""
    return roles.split { $0 == "," || $0 == "/" }.map(String.init)
  }

  private var mark: String { "\(Self.ownRole).\(rawValue)" }
}

extension AudioMode {
  /// What the wish does to others, and to which roles; nil where its options ask for nothing.
  ///
  /// Never to a screen reader, an event's sound or a call; nor to the role of the mode, which is what
  /// the session is for.
  var treatment: (kind: Treatment, roles: [String])? {
    let own = mode?.mediaRole
    let all: [String] = [
      "no_role", "video", "music", "game", "animation", "production", "test", Treatment.speechRole,
    ]
    let roles = all.filter { $0 != own }
    func asks(_ option: CategoryOption) -> Bool { options?.contains(option) == true }
    let interrupts = asks(.interruptSpokenAudio) && roles.contains(Treatment.speechRole)
    if asks(.silenceOthers) || category == .soloAmbient { return (.silence, roles) }
    if asks(.duckOthers) { return (interrupts ? .duckAndInterrupt : .duck, roles) }
    return interrupts ? (.interruptSpeech, [Treatment.speechRole]) : nil
  }
}

extension Mode {
  /// The `media.role` that streams of this use have; nil where there is none.
  public var mediaRole: String? {
    switch self {
    case .default, .measurement: nil
    case .voiceChat, .videoChat: "phone"
    case .gameChat: "game"
    case .moviePlayback: "video"
    case .videoRecording: "production"
    case .spokenAudio: Treatment.speechRole
    }
  }

  /// The role that this program's own streams take. Not a call's: a desktop pauses others then.
  public var ownRole: String? {
    switch self {
    case .voiceChat, .videoChat: nil
    default: mediaRole
    }
  }
}
