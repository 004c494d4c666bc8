import Pulse
import PulseTypes
import SessionCore

/// When pins run. On PipeWire a corked pin holds nothing, and a running pin keeps its device
/// running.
extension LiveServer {
  /// Runs the pins while another stream uses their device, or always if the mode demands it; only
  /// on PipeWire, where a corked pin holds nothing.
  func tendPins(for mode: AudioMode?, deadline: Deadline) async throws(SessionError) {
    await forgetEndedPins()
    guard snapshot.has(.runningPins) else { return }
    try await awaitClosing(deadline: deadline)
    for (setting, pin) in pins where await pin.isOpen {
      // The other stream may have ended by the time the server shows that the pin runs.
      while try await tend(pin, setting, mode, deadline) {}
    }
  }

  /// Whether a pin should not run now, or another pin does its work.
  private func isIdle(_ setting: Setting, _ mode: AudioMode?, _ snapshot: ServerSnapshot) -> Bool {
    guard runner(setting) == setting, let device = snapshot.device(of: setting) else { return true }
    return mode?.holdsAlways != true && !snapshot.isUsed(device)
  }

  /// Runs or corks a pin; true if it must be checked once more.
  private func tend(
    _ pin: PulseStream, _ setting: Setting, _ mode: AudioMode?, _ deadline: Deadline
  ) async throws(SessionError) -> Bool {
    guard snapshot.device(of: setting) != nil else { return false }
    let isIdle = isIdle(setting, mode, snapshot)
    if await pin.isCorked != isIdle {
      do throws(PulseError) {
        try await pin.cork(isIdle, timeout: deadline.remaining)
      } catch {
        throw SessionError(error)
      }
      mark(.stream(pin.direction, pin.index))
    }
    // Until the server shows the rate, the difference is not another program's change.
    guard !isIdle, setting.isRate, let rate = await pin.sampleSpec?.rate else { return false }
    _ = try await isGranted(Int(rate), setting, deadline: deadline) { snapshot in
      self.isIdle(setting, mode, snapshot)
    }
    return self.isIdle(setting, mode, snapshot)
  }

  /// The pin that does the work of a setting's pin.
  ///
  /// If the rate is forced too, the rate's pin forces both, and the latency's pin waits: if both
  /// run, PipeWire 1.4 stops all streams for the one that is ready first, then for the other, and
  /// so on for ever.
  func runner(_ setting: Setting) -> Setting {
    guard snapshot.has(.runningPins), case .latency(let direction, let device) = setting else {
      return setting
    }
    let rate = Setting.rate(direction, device: device)
    return pins[rate] == nil ? setting : rate
  }

  /// Closes the pins of rates that the mode does not name, or no longer for this device: a stream that
  /// restored a rate has done its work, because it is not held.
  func closeRatePins(besides claims: [Setting]) async {
    for setting in pins.keys where setting.isRate && !claims.contains(setting) {
      await close(pin: setting)
    }
  }

  /// Whether a device runs at a rate, now or soon. To change a rate, PipeWire 1.4 (and any version
  /// on hardware) stops the device first: only a device that keeps running has refused.
  func isGranted(
    _ rate: Int, _ setting: Setting, deadline: Deadline,
    unless isOver: (ServerSnapshot) -> Bool = { _ in false }
  ) async throws(SessionError) -> Bool {
    let end = Deadline(after: min(deadline.remaining, .seconds(3)))
    while true {
      var hasStopped = false
      let patience = Deadline(after: min(end.remaining, .milliseconds(500)))
      let isGranted = try await wait(deadline: patience, answer: deadline) { snapshot in
        guard let device = snapshot.device(of: setting) else { return true }
        if device.state != .running { hasStopped = true }
        return device.state == .running && Int(device.sampleSpec.rate) == rate
          || isOver(snapshot)
      }
      if isGranted || !hasStopped || end.hasPassed { return isGranted }
    }
  }
}
