internal import CPulse
public import PulseTypes

/// Changes of other programs' streams, of clients and of modules.
extension PulseClient {
  /// Sets the volume of each channel of a stream.
  ///
  /// A single value sets the loudest channel, and the others keep their ratio to it. Errors: those
  /// of every request (see `PulseClient`); `noSuchEntity` if there is no such stream,
  /// `invalidArgument` if the number of values is neither one nor that of the channels, `busy` for a
  /// stream without a volume, such as one that is passed through. libpulse:
  /// `pa_context_set_source_output_volume`, `pa_context_set_sink_input_volume`.
  public func setStreamVolume(
    _ direction: Direction, _ index: Index<Stream>, _ volume: ChannelVolumes,
    timeout: Duration? = nil
  ) async throws(PulseError) {
    let call =
      direction == .input ? pa_context_set_source_output_volume : pa_context_set_sink_input_volume
    let words = "set_\(direction.streamWord)_volume \(index) \(volume.words)"
    var native = volume.native
    try await connection.command(words, timeout: timeout) {
      call($0, index.rawValue, &native, onSuccess, $1)
    }
  }

  /// Mutes or unmutes a stream.
  ///
  /// Errors: those of every request (see `PulseClient`); `noSuchEntity` if there is no such stream.
  /// libpulse: `pa_context_set_source_output_mute`, `pa_context_set_sink_input_mute`.
  public func setStreamMute(
    _ direction: Direction, _ index: Index<Stream>, _ isMuted: Bool, timeout: Duration? = nil
  ) async throws(PulseError) {
    let call =
      direction == .input ? pa_context_set_source_output_mute : pa_context_set_sink_input_mute
    let words = "set_\(direction.streamWord)_mute \(index) \(isMuted)"
    try await connection.command(words, timeout: timeout) {
      call($0, index.rawValue, isMuted ? 1 : 0, onSuccess, $1)
    }
  }

  /// Stores values for the next streams with a key; existing streams do not change.
  ///
  /// PulseAudio stores the whole entry. pipewire-pulse passes it to the session manager, which
  /// keeps its values for what the entry lacks, including a device. Throws `notSupported` if the
  /// server stores no streams. libpulse: `pa_ext_stream_restore_write`.
  public func save(_ stream: SavedStream, timeout: Duration? = nil) async throws(PulseError) {
    guard let map = stream.channelMap.count == 0 ? pa_channel_map() : stream.channelMap.native
    else {
      throw PulseError(.invalidArgument, "ext_stream_restore_write \(stream.name)")
    }
    let volume = stream.volume.native
    try await connection.command("ext_stream_restore_write \(stream.name)", timeout: timeout) {
      context, userdata in
      stream.name.withCString { name in
        (stream.device ?? "").withCString { device in
          var info = pa_ext_stream_restore_info(
            name: name, channel_map: map, volume: volume,
            device: stream.device == nil ? nil : device, mute: stream.isMuted ? 1 : 0)
          return pa_ext_stream_restore_write(
            context, PA_UPDATE_REPLACE, &info, 1, 0, onSuccess, userdata)
        }
      }
    }
  }

  /// Moves a stream to a device.
  ///
  /// On PulseAudio the stream keeps preferring that device, unless it is the default. Errors: those
  /// of every request (see `PulseClient`); `noSuchEntity` if there is no such stream or device,
  /// `invalidArgument` if the stream does not let itself be moved. libpulse:
  /// `pa_context_move_source_output_by_name`, `pa_context_move_sink_input_by_name`.
  public func moveStream(
    _ direction: Direction, _ index: Index<Stream>, to device: String, timeout: Duration? = nil
  ) async throws(PulseError) {
    let call =
      direction == .input
      ? pa_context_move_source_output_by_name : pa_context_move_sink_input_by_name
    let words = "move_\(direction.streamWord) \(index) \(device)"
    try await connection.command(words, timeout: timeout) {
      call($0, index.rawValue, device, onSuccess, $1)
    }
  }

  /// Kills a stream; its program gets the error `killed`.
  ///
  /// Errors: those of every request (see ``PulseClient``), and `noSuchEntity` if there is no such stream.
  /// libpulse: `pa_context_kill_source_output`,
  /// `pa_context_kill_sink_input`.
  public func killStream(
    _ direction: Direction, _ index: Index<Stream>, timeout: Duration? = nil
  ) async throws(PulseError) {
    let call = direction == .input ? pa_context_kill_source_output : pa_context_kill_sink_input
    try await connection.command("kill_\(direction.streamWord) \(index)", timeout: timeout) {
      call($0, index.rawValue, onSuccess, $1)
    }
  }

  /// Disconnects a client from the server; if it is this client, the error is `disconnected`.
  ///
  /// Errors: those of every request (see ``PulseClient``), and `noSuchEntity` if there is no such client.
  /// libpulse: `pa_context_kill_client`.
  public func killClient(
    _ index: Index<Client>, timeout: Duration? = nil
  ) async throws(PulseError) {
    try await connection.command("kill_client \(index)", timeout: timeout) {
      pa_context_kill_client($0, index.rawValue, onSuccess, $1)
    }
  }

  /// Loads a module, which stays until it is unloaded, unloads itself, or the server ends.
  ///
  /// Throws `moduleFailed` if it does not exist or does not start; pipewire-pulse loads a module
  /// even with an invalid argument. libpulse: `pa_context_load_module`.
  public func loadModule(
    _ name: String, _ argument: String = "", timeout: Duration? = nil
  ) async throws(PulseError) -> Index<Module> {
    let index: UInt32 = try await connection.send(
      "load_module \(name) \(argument)", timeout: timeout
    ) { pa_context_load_module($0, name, argument, onIndex, $1) }.value()
    return Index(index)
  }

  /// Unloads a module (libpulse: `pa_context_unload_module`).
  ///
  /// Errors: those of every request (see `PulseClient`); `noSuchEntity` if there is no such module.
  public func unloadModule(
    _ index: Index<Module>, timeout: Duration? = nil
  ) async throws(PulseError) {
    try await connection.command("unload_module \(index)", timeout: timeout) {
      pa_context_unload_module($0, index.rawValue, onSuccess, $1)
    }
  }

  /// Sets properties of this client, which other clients see.
  ///
  /// Errors: those of every request (see `PulseClient`); `invalidArgument` for a key or a value that
  /// cannot be one. libpulse: `pa_context_proplist_update`.
  public func updateProperties(
    _ properties: [String: String], timeout: Duration? = nil
  ) async throws(PulseError) {
    let request = try withPropertyList(properties, for: "proplist_update") {
      list throws(PulseError) -> Pending<Void> in
      try connection.send("proplist_update", timeout: timeout) {
        pa_context_proplist_update($0, PA_UPDATE_REPLACE, list, onSuccess, $1)
      }
    }
    try await request.value()
  }

  /// Sends a message to an object of the server, such as `/core`, and returns its response.
  ///
  /// Throws `noSuchEntity` if nothing listens at the path, `notSupported` for an unknown message.
  /// libpulse: `pa_context_send_message_to_object`.
  public func sendMessage(
    to path: String, _ message: String, _ parameters: String? = nil, timeout: Duration? = nil
  ) async throws(PulseError) -> String? {
    try await connection.send("send_message \(path) \(message)", timeout: timeout) {
      pa_context_send_message_to_object($0, path, message, parameters, onString, $1)
    }.value()
  }
}
