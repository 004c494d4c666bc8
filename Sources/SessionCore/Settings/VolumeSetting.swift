import PulseTypes

struct VolumeSetting: DeviceSettingKind {
  let direction: Direction
  let name: String

  var label: String { "volume" }
  var phase: Phase { .levels }
  var traits: SettingTraits {
    [.isLostAtTimes, .showsWhenAwake, .level, .outlivesSession, .followsCard]
  }

  func property(in snapshot: ServerSnapshot) -> Property { .level(direction) }

  func read(_ snapshot: ServerSnapshot) -> SettingValue? {
    snapshot.device(direction, named: name).map { .volume($0.volume) }
  }

  func restorable(_ before: SettingValue, in planner: Planner) -> SettingValue? {
    guard case .volume(let volumes) = before else { return nil }
    let map = planner.server.snapshot.device(direction, named: name)?.channelMap
    return map?.count == volumes.values.count ? before : nil
  }

  func isMet(_ value: SettingValue, in snapshot: ServerSnapshot) -> Bool {
    guard case .volume(let volumes) = value,
      let device = snapshot.device(direction, named: name)
    else { return false }
    return snapshot.shows(volumes, on: device)
  }

  func predict(_ value: SettingValue, in server: inout PredictedServer) {
    guard case .volume(let volume) = value else { return }
    server.edit(direction, name) { $0.volume = volume }
  }

  func requests(for value: SettingValue, in snapshot: ServerSnapshot) -> [ServerRequest]? {
    guard case .volume(let volume) = value else { return nil }
    return [.setVolume(direction, device: name, volume)]
  }
}

extension ServerSnapshot {
  /// Whether a device shows volumes, or the nearest ones that its hardware has.
  func shows(_ volumes: ChannelVolumes, on device: Device) -> Bool {
    let (grain, shown) = (volumeGrain(of: device), device.volume.values)
    return shown.count == volumes.values.count
      && zip(shown, volumes.values).allSatisfy { now, asked in
        // Hardware that has steps amplifies no further than its last one.
        let nearest = grain > 1 ? min(asked.rawValue, Volume.norm.rawValue) : asked.rawValue
        return 2 * abs(Int(now.rawValue) - Int(nearest)) <= grain
      }
  }

  /// Whether the hardware's level is another than a step set, by at most 1 dB: PulseAudio takes over what a
  /// card's mixer says, once after a change. It keeps the level that it is asked for again.
  package func hasRounded(_ step: Step) -> Bool {
    let request = step.setting.requests(for: step.to, in: self)?.first
    guard !has(.earlyReplies), case .setVolume(let direction, let name, let asked)? = request,
      let device = device(direction, named: name), device.flags.contains(.hardwareVolume)
    else { return false }
    return device.volume != asked && device.volume.values.count == asked.values.count
      && zip(device.volume.values, asked.values).allSatisfy { now, asked in
        now == asked || abs(now.decibels - asked.decibels) <= 1
      }
  }

  /// How far the volumes of a device's hardware are apart, in the server's unit; 1 where it takes any.
  private func volumeGrain(of device: Device) -> Int {
    guard has(.nearestVolumes), device.card != nil, let steps = device.volumeSteps, steps > 0,
      case let most = Int(Volume.norm.rawValue), case let count = most / Int(steps), count > 1
    else { return 1 }
    return (most + count - 2) / (count - 1)
  }
}
