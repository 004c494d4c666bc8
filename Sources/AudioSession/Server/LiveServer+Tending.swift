import Pulse
import PulseTypes
import SessionCore

/// When pins run. On PipeWire one that does not run holds nothing, and one that runs keeps the device
/// running, too.
extension LiveServer {
  /// Lets the pins run while somebody else uses their device, or always where that is wished;
  /// PipeWire only, where a pin that does not run holds nothing. One that served to restore a rate
  /// goes.
  func tendPins(for wish: AudioMode?, deadline: Deadline) async throws(SessionError) {
    await closeRestoringPins(wish?.sampleRate)
    guard snapshot.has(.forcedGraph) else { return }
    try await awaitClosing(deadline: deadline)
    for (setting, pin) in pins where await pin.isOpen {
      // Who used the device may have gone until it shows that the pin runs.
      while try await tend(pin, setting, wish, deadline) {}
    }
  }

  /// Whether nothing is to run now for what a pin is for, or another pin sees to it.
  private func isIdle(
    _ setting: Setting, _ wish: AudioMode?, _ snapshot: ServerSnapshot
  ) -> Bool {
    guard runner(setting) == setting, let direction = setting.deviceDirection,
      let device = snapshot.device(direction, named: setting.object)
    else { return true }
    return wish?.holdsAlways != true && !snapshot.isUsed(device)
  }

  /// Lets a pin run or not; true where it is to be looked at once more.
  private func tend(
    _ pin: PulseStream, _ setting: Setting, _ wish: AudioMode?, _ deadline: Deadline
  ) async throws(SessionError) -> Bool {
    guard let direction = setting.deviceDirection,
      snapshot.device(direction, named: setting.object) != nil
    else { return false }
    let isIdle = isIdle(setting, wish, snapshot)
    if await pin.isCorked != isIdle {
      do throws(PulseError) {
        try await pin.cork(isIdle, timeout: deadline.remaining)
      } catch {
        throw SessionError(error)
      }
      mark(.stream(direction, pin.index))
    }
    // Until it shows the device is not as wished, which is nobody's doing.
    guard !isIdle, case .rate = setting, let rate = await pin.sampleSpec?.rate else { return false }
    _ = try await isGranted(Int(rate), setting, deadline: deadline) { snapshot in
      self.isIdle(setting, wish, snapshot)
    }
    return self.isIdle(setting, wish, snapshot)
  }

  /// The pin that forces what another one is for.
  ///
  /// Where the rate is forced too, its pin forces both, and the latency's waits: with two that run
  /// PipeWire 1.4 stops all for the one that is ready first, then for the other, and so on for ever.
  func runner(_ setting: Setting) -> Setting {
    guard snapshot.has(.forcedGraph), case .latency(let direction, let device) = setting else {
      return setting
    }
    let rate = Setting.rate(direction, device: device)
    return pins[rate] == nil ? setting : rate
  }

  /// Closes pins that set back the rate of a device which is wished no more: a corked stream sets a
  /// rate, and does not hold it.
  private func closeRestoringPins(_ wished: Int?) async {
    for (setting, pin) in pins {
      guard case .rate = setting else { continue }
      if await pin.sampleSpec.map({ Int($0.rate) }) != wished { await close(pin: setting) }
    }
  }

  /// Whether a device runs at a rate, at once or soon. PipeWire stops what runs to give it another
  /// rate (1.4, and hardware anywhere): only a device that goes on running has refused.
  func isGranted(
    _ rate: Int, _ setting: Setting, deadline: Deadline,
    unless isOver: (ServerSnapshot) -> Bool = { _ in false }
  ) async throws(SessionError) -> Bool {
    guard let direction = setting.deviceDirection else { return true }
    let end = Deadline(after: min(deadline.remaining, .seconds(3)))
    while true {
      var hasStopped = false
      let patience = Deadline(after: min(end.remaining, .milliseconds(500)))
      let isGranted = try await wait(deadline: patience, answer: deadline) { snapshot in
        guard let device = snapshot.device(direction, named: setting.object) else { return true }
        if device.state != .running { hasStopped = true }
        return device.state == .running && Int(device.sampleSpec.rate) == rate
          || isOver(snapshot)
      }
      if isGranted || !hasStopped || end.hasPassed { return isGranted }
    }
  }
}
