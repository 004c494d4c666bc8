public import PulseTypes

/// What became of hints that were tried: a server does not say beforehand whether it will grant one.
///
/// Without this a plan would try the same in vain for ever. It holds for one run of the server, and for
/// a device until that goes: one that comes back is asked again.
public struct HintMemory: Sendable, Hashable, Codable {
  /// One attempt.
  public struct Attempt: Sendable, Hashable, Codable {
    /// The rate or latency of a device.
    public var setting: Setting
    /// What was asked for.
    public var asked: SettingValue
    /// What the server gave.
    public var got: SettingValue
    /// The number of the device at that time.
    public internal(set) var device: Index<Device>?

    /// Makes an entry.
    public init(setting: Setting, asked: SettingValue, got: SettingValue) {
      self.setting = setting
      self.asked = asked
      self.got = got
    }
  }

  /// The last attempt of each setting.
  public private(set) var attempts: [Attempt]
  /// The run of the server they were made on.
  public var serverCookie: UInt32?

  /// An empty memory.
  public init() { attempts = [] }

  /// Notes an attempt in place of an earlier one on the same setting.
  public mutating func note(_ attempt: Attempt, on snapshot: ServerSnapshot) {
    if serverCookie != snapshot.server.cookie { attempts = [] }
    serverCookie = snapshot.server.cookie
    attempts.removeAll { $0.setting == attempt.setting }
    var attempt = attempt
    attempt.device = snapshot.device(of: attempt.setting)?.index
    // What became of a device that has gone in the meantime says nothing.
    if attempt.device != nil { attempts.append(attempt) }
  }

  /// What became of asking for a value on this run of the server.
  func outcome(
    _ setting: Setting, asked: SettingValue, on snapshot: ServerSnapshot
  ) -> SettingValue? {
    guard serverCookie == snapshot.server.cookie else { return nil }
    let device = snapshot.device(of: setting)?.index
    return attempts.first {
      $0.setting == setting && $0.asked == asked && $0.device == device
    }?.got
  }
}
