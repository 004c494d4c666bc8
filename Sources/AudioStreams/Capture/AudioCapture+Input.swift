import AudioSession
import PulseTypes
import SessionCore

/// Which input a capture taps, and with which latency.
extension AudioCapture {
  /// Throws if there is no input, or only a monitor that neither the configuration nor the mode
  /// names.
  ///
  /// - Returns: the default device, if that is what is tapped.
  @discardableResult
  func checkInput(_ configuration: CaptureConfiguration) async throws(StreamError) -> String? {
    let snapshot = try await snapshot()
    if let name = configuration.device {
      guard snapshot.device(.input, named: name) == nil else { return nil }
      let names = snapshot.sources.map { "'\($0.name)'" }.joined(separator: ", ")
      throw StreamError(
        .deviceNotAvailable, "there is no input '\(name)'", details: "there are: \(names)")
    }
    let place = await session.place(.input)
    guard place.device == nil else { return nil }
    guard let device = snapshot.defaultDevice(.input) else {
      throw StreamError(.deviceNotAvailable, "this machine has no input")
    }
    guard await mayTap(device, configuration) else {
      throw StreamError(
        .deviceNotAvailable,
        "the default input is the monitor '\(device.name)', which hears what is played; name it in the "
          + "configuration or in the session's preferred input if that is meant")
    }
    return device.name
  }

  /// The configuration of the next tap. If the configuration follows, the session's input replaces
  /// a named source that was removed.
  func followed(_ run: Run) async throws(StreamError) -> CaptureConfiguration {
    var configuration = run.configuration
    guard let name = configuration.device, configuration.follows, run.input != nil,
      try await snapshot().device(.input, named: name) == nil
    else { return configuration }
    configuration.device = nil
    return configuration
  }

  /// Emits `inputChanged` when the tapped source differs from the last one.
  func noteInput(_ device: String?) {
    guard let device, device != run?.input else { return }
    if run?.input != nil { emit(.inputChanged(device)) }
    run?.input = device
  }

  /// A monitor is tapped only if the configuration or the session's mode names it.
  func mayTap(_ device: Device, _ configuration: CaptureConfiguration) async -> Bool {
    guard device.isMonitor, configuration.device == nil else { return true }
    return await session.modeForStreams?.preferredInput?.contains { $0.names(device) } == true
  }

  /// Whether a start that found no input waits for one: the session's mode does not require any.
  func mayBegin(without error: StreamError, _ configuration: CaptureConfiguration) async -> Bool {
    guard error.code == .deviceNotAvailable, configuration.device == nil,
      !configuration.needsInput
    else { return false }
    return await session.modeForStreams?.inputRequired == false
  }

  func latency(_ configuration: CaptureConfiguration) async -> Duration {
    if let latency = configuration.latency { return latency }
    return await session.buffer(.input) ?? .milliseconds(20)
  }

  func snapshot() async throws(StreamError) -> ServerSnapshot {
    do throws(SessionError) {
      return try await session.snapshot()
    } catch {
      throw StreamError(session: error, "the session cannot be used")
    }
  }
}
