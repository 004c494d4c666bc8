import PulseTypes

@testable import SessionCore

/// A model session made wrongly, at what it performs: a simulation that does not find it proves nothing.
enum ModelMutant: String, CaseIterable {
  /// The baseline is stored after the server was changed.
  case savesLate
  /// The server restarts, and the session does not notice that its connection is lost.
  case seesNoRestart
  /// A request that is not answered in time counts as another program's change.
  case blamesTimeOuts
  /// A device that arrives counts as one that was given its levels.
  case leavesArrivals
  /// A failed change is not undone.
  case undoesNothing
  /// What an unplugged device had before is forgotten by a revert.
  case forgetsUnplugged
}

/// What the levels of the model server may be, apart from the session's: judged by the values alone, which
/// are of one mode, one person or one run of the server.
final class Promises {
  /// The values that no session chose, by device and port.
  private var volumes: [String: Set<UInt32>] = [:]
  private var mutes: [String: Set<Bool>] = [:]
  /// The places that a person or another program changed.
  private(set) var touched: Set<String> = []
  private var personal: UInt32 = 40_000
  /// How often another program chose a default or a level.
  private(set) var rivals = 0
  var writes = 0
  private(set) var excused: Set<String> = []

  static func gain(_ number: Int) -> Volume { Volume(rawValue: UInt32(10_000 + 7 * number)) }
  static func loudness(_ number: Int) -> Volume { Volume(rawValue: UInt32(24_000 + 7 * number)) }

  /// Whose volume a value is; nil if it is no session's.
  static func mode(of volume: UInt32) -> Int? {
    for start: UInt32 in [10_000, 24_000] where (start..<start + 7_000).contains(volume) {
      if (volume - start) % 7 == 0 { return Int(volume - start) / 7 }
    }
    return nil
  }

  static func key(_ device: Device) -> String { "\(device.name):\(device.activePort ?? "")" }

  private static func hardware(_ snapshot: ServerSnapshot) -> [Device] {
    (snapshot.sinks + snapshot.sources).filter { !$0.isMonitor && !Owned.isName($0.name) }
  }

  /// The server chose values by itself.
  func noteNatural(_ model: SimulatedServer, isFresh: Bool) {
    for device in Self.hardware(model.snapshot) {
      let volume = device.volume.values.first?.rawValue ?? 0
      if model.snapshot.has(.lateRestoring) {
        volumes[Self.key(device), default: []].insert(Volume.norm.rawValue)
        mutes[Self.key(device), default: []].insert(false)
      }
      guard isFresh || volumes[Self.key(device)] == nil else { continue }
      guard Self.mode(of: volume) == nil else { continue }
      volumes[Self.key(device), default: []].insert(volume)
      mutes[Self.key(device), default: []].insert(device.isMuted)
    }
  }

  /// Another program changes a level, to a value that is its alone.
  func touch(_ device: inout Device, mutes isMute: Bool) {
    rivals += 1
    touched.insert(Self.key(device))
    if isMute {
      device.isMuted.toggle()
      mutes[Self.key(device), default: []].insert(device.isMuted)
    } else {
      personal += 11
      device.volume = ChannelVolumes(Volume(rawValue: personal), channels: device.channelMap.count)
      volumes[Self.key(device), default: []].insert(personal)
    }
  }

  /// A change was made while PipeWire showed a device with levels that its session manager was about to
  /// replace: no reading can tell them from a person's.
  func excuse(_ arrivals: Set<String>) { excused.formUnion(arrivals) }

  func noteRival() { rivals += 1 }

  /// What a session has left on a server without one; nil if nothing.
  func leftover(_ snapshot: ServerSnapshot, mayBeMuted direction: Direction? = nil) -> String? {
    for device in Self.hardware(snapshot) where !excused.contains(device.name) {
      let (key, volume) = (Self.key(device), device.volume.values.first?.rawValue ?? 0)
      guard volumes[key]?.contains(volume) == true else { return "volume of \(key) is \(volume)" }
      guard mutes[key]?.contains(device.isMuted) == true || device.direction == direction else {
        return "mute of \(key) is \(device.isMuted)"
      }
    }
    return snapshot.modules.first.map { "module \($0.name) is loaded" }
  }

  /// What is not as a held mode asks, though nobody else changed it; nil if nothing.
  func unmet(_ mode: AudioMode, _ number: Int, _ snapshot: ServerSnapshot) -> String? {
    let names = (mode.preferredInput ?? []).compactMap { matcher -> String? in
      if case .name(let name) = matcher { name } else { nil }
    }
    let wanted = names.first { snapshot.device(.input, named: $0) != nil }
    if let wanted, snapshot.chain.defaultRoot(.input)?.name != wanted {
      return "the default is \(snapshot.server.defaultSourceName ?? "none"), not \(wanted)"
    }
    guard let device = snapshot.chain.defaultRoot(.input), wanted != nil,
      !excused.contains(device.name)
    else { return nil }
    let (key, volume) = (Self.key(device), device.volume.values.first?.rawValue ?? 0)
    let isPersonal = touched.contains(key) && volumes[key]?.contains(volume) == true
    if volume != Self.gain(number).rawValue, mode.gainLock == true || !isPersonal {
      return "gain of \(key) is \(volume)"
    }
    if mode.inputMuted == true, !device.isMuted, !touched.contains(key) {
      return "\(key) is not muted"
    }
    return nil
  }
}
