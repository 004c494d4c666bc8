/// What happens to the streams of others while a session is active: a module of the server does it,
/// as long as a silent stream of the session, the *trigger*, is there.
///
/// The server undoes it by itself when the trigger ends, however the session's process ended, and
/// saves nothing of it for the streams' next time.
public enum Treatment: String, Sendable, Hashable, Codable, CaseIterable {
  /// They are asked to pause, and muted.
  case silence
  /// They are lowered by 20 dB.
  case duck
  /// Those that say they are speech are asked to pause, and muted.
  case interruptSpeech = "interrupt-speech"

  /// The role of the session's own streams: they are left alone.
  public static let ownRole = "audiosession"
  /// The role of a stream that is speech: no server knows it, programs may say it.
  public static let speechRole = "speech"

  /// The module that does it.
  public var moduleName: String { self == .duck ? "module-role-ducking" : "module-role-cork" }

  /// The arguments to load the module with. The second trigger tells our modules apart.
  func moduleArgument(_ roles: [String]) -> String {
    ModuleArguments.render([
      ("trigger_roles", .text("\(Self.ownRole),\(mark)")),
      (key, .text(roles.joined(separator: ","))),
      ("global", .text("yes")),
    ])
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
    guard words.contains("trigger_roles=\(Self.ownRole),\(mark)") else { return nil }
    let roles = words.first { $0.hasPrefix("\(key)=") }?.dropFirst(key.count + 1) ?? ""
    return roles.split(separator: ",").map(String.init)
  }

  private var mark: String { "\(Self.ownRole).\(rawValue)" }
  private var key: String { self == .duck ? "ducking_roles" : "cork_roles" }
}

extension AudioMode {
  /// What the wish does to others, and to which roles.
  ///
  /// Never to a screen reader, an event's sound or a call; nor to the role of the mode, which is what
  /// the session is for.
  var treatments: [Treatment: [String]] {
    let own = mode?.mediaRole
    let all: [String] = ["no_role", "video", "music", "game", "animation", "production", "test"]
    let roles = all.filter { $0 != own }
    var result: [Treatment: [String]] = [:]
    if options?.contains(.silenceOthers) == true || category == .soloAmbient {
      result[.silence] = roles
    } else {
      if options?.contains(.duckOthers) == true { result[.duck] = roles }
      if options?.contains(.interruptSpokenAudio) == true {
        result[.interruptSpeech] = [Treatment.speechRole]
      }
    }
    return result
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
}
