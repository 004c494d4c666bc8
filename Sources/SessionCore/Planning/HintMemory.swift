package import PulseTypes

/// The results of earlier hints, because a server does not announce whether it will grant one.
///
/// Without it a plan would retry in vain for ever. It is valid for one run of the server, and for a
/// device until it is removed: a device that returns is asked again.
package struct HintMemory: Sendable, Hashable, Codable {
  package struct Attempt: Sendable, Hashable, Codable {
    /// The rate or latency of a device.
    package var setting: Setting
    /// The requested value.
    package var asked: SettingValue
    /// The granted value.
    package var got: SettingValue
    /// The index of the device at that time.
    package internal(set) var device: Index<Device>?
  }

  /// The last attempt of each setting.
  package private(set) var attempts: [Attempt] = []
  /// The run of the server on which they were made.
  package var serverCookie: UInt32?

  package init() {}

  /// Records an attempt in place of an earlier one for the same setting.
  package mutating func note(_ attempt: Attempt, on snapshot: ServerSnapshot) {
    if serverCookie != snapshot.server.cookie { attempts = [] }
    serverCookie = snapshot.server.cookie
    attempts.removeAll { $0.setting == attempt.setting }
    var attempt = attempt
    attempt.device = snapshot.device(of: attempt.setting)?.index
    // The result on a device that has been removed in the meantime means nothing.
    if attempt.device != nil { attempts.append(attempt) }
  }

  /// The result of requesting a value on this run of the server.
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
