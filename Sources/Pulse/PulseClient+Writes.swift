internal import CPulse
public import PulseTypes

/// Changes of devices and cards. PulseAudio acts, then answers, then sends the events.
/// pipewire-pulse answers *before* it acts, so wait for its event and read again.
extension PulseClient {
  /// Makes a source the default; streams that follow the default move to it.
  ///
  /// The server stores the choice beyond its restarts. Throws `noSuchEntity` on PulseAudio if there
  /// is no such source. libpulse: `pa_context_set_default_source`.
  public func setDefaultSource(_ name: String, timeout: Duration? = nil) async throws(PulseError) {
    try await connection.command("set_default_source \(name)", timeout: timeout) {
      pa_context_set_default_source($0, name, onSuccess, $1)
    }
  }

  /// Makes a sink the default; streams that follow the default move to it.
  ///
  /// The server stores the choice beyond its restarts. Throws `noSuchEntity` on PulseAudio if there
  /// is no such sink. libpulse: `pa_context_set_default_sink`.
  public func setDefaultSink(_ name: String, timeout: Duration? = nil) async throws(PulseError) {
    try await connection.command("set_default_sink \(name)", timeout: timeout) {
      pa_context_set_default_sink($0, name, onSuccess, $1)
    }
  }

  /// Switches a card to a profile; the server removes its devices and creates others, with new
  /// indexes.
  ///
  /// Throws `noSuchEntity` if there is no such card or profile. libpulse:
  /// `pa_context_set_card_profile_by_name`.
  public func setCardProfile(
    _ card: String, _ profile: String, timeout: Duration? = nil
  ) async throws(PulseError) {
    try await connection.command("set_card_profile \(card) \(profile)", timeout: timeout) {
      pa_context_set_card_profile_by_name($0, card, profile, onSuccess, $1)
    }
  }

  /// Switches a device to a port.
  ///
  /// Throws `noSuchEntity` if there is no such device or port, `notSupported` for a device
  /// without ports. libpulse: `pa_context_set_source_port_by_name`,
  /// `pa_context_set_sink_port_by_name`.
  public func setPort(
    _ direction: Direction, device: String, port: String, timeout: Duration? = nil
  ) async throws(PulseError) {
    let call =
      direction == .input
      ? pa_context_set_source_port_by_name : pa_context_set_sink_port_by_name
    let words = "set_\(direction.deviceWord)_port \(device) \(port)"
    try await connection.command(words, timeout: timeout) { call($0, device, port, onSuccess, $1) }
  }

  /// Sets the volume of each channel of a device.
  ///
  /// A single value sets the loudest channel, and the others keep their ratio to it. Throws
  /// `invalidArgument` if the number of values is neither one nor that of the channels. libpulse:
  /// `pa_context_set_source_volume_by_name`, `pa_context_set_sink_volume_by_name`.
  public func setVolume(
    _ direction: Direction, device: String, _ volume: ChannelVolumes, timeout: Duration? = nil
  ) async throws(PulseError) {
    let call =
      direction == .input
      ? pa_context_set_source_volume_by_name : pa_context_set_sink_volume_by_name
    let words = "set_\(direction.deviceWord)_volume \(device) \(volume.words)"
    var native = volume.native
    try await connection.command(words, timeout: timeout) {
      call($0, device, &native, onSuccess, $1)
    }
  }

  /// Mutes or unmutes a device.
  ///
  /// Errors: those of every request (see `PulseClient`); `noSuchEntity` if there is no such device.
  /// libpulse: `pa_context_set_source_mute_by_name`, `pa_context_set_sink_mute_by_name`.
  public func setMute(
    _ direction: Direction, device: String, _ isMuted: Bool, timeout: Duration? = nil
  ) async throws(PulseError) {
    let call =
      direction == .input
      ? pa_context_set_source_mute_by_name : pa_context_set_sink_mute_by_name
    let words = "set_\(direction.deviceWord)_mute \(device) \(isMuted)"
    try await connection.command(words, timeout: timeout) {
      call($0, device, isMuted ? 1 : 0, onSuccess, $1)
    }
  }

  /// Suspends or resumes a device on behalf of this client.
  ///
  /// Resuming has no effect while the device is suspended for another reason, and never on
  /// pipewire-pulse. Errors: those of every request (see `PulseClient`); `noSuchEntity` if there is
  /// no such device, `invalidArgument` for a monitor, which cannot be suspended (PulseAudio).
  /// libpulse: `pa_context_suspend_source_by_name`, `pa_context_suspend_sink_by_name`.
  public func suspend(
    _ direction: Direction, device: String, _ isSuspended: Bool, timeout: Duration? = nil
  ) async throws(PulseError) {
    let call =
      direction == .input
      ? pa_context_suspend_source_by_name : pa_context_suspend_sink_by_name
    let words = "suspend_\(direction.deviceWord) \(device) \(isSuspended)"
    try await connection.command(words, timeout: timeout) {
      call($0, device, isSuspended ? 1 : 0, onSuccess, $1)
    }
  }

  /// Sets the offset that is added to a device's latency while a port is active; may be negative.
  ///
  /// Errors: those of every request (see `PulseClient`); `noSuchEntity` if there is no such card or
  /// port. libpulse: `pa_context_set_port_latency_offset`.
  public func setPortLatencyOffset(
    card: String, port: String, _ offset: Duration, timeout: Duration? = nil
  ) async throws(PulseError) {
    let words = "set_port_latency_offset \(card) \(port) \(offset)"
    try await connection.command(words, timeout: timeout) {
      pa_context_set_port_latency_offset($0, card, port, offset.microseconds, onSuccess, $1)
    }
  }
}

extension ChannelVolumes {
  var words: String { values.map { String($0.rawValue) }.joined(separator: ",") }
}
