internal import CPulse
public import PulseTypes

extension PulseClient {
  /// Reads the server's information about itself (libpulse: `pa_context_get_server_info`).
  ///
  /// Errors: those of every request (see `PulseClient`).
  public func serverInfo(timeout: Duration? = nil) async throws(PulseError) -> ServerInfo {
    try await connection.sendServerInfo(timeout).value()
  }

  /// Lists the sinks (libpulse: `pa_context_get_sink_info_list`).
  ///
  /// Errors: those of every request (see `PulseClient`).
  public func sinks(timeout: Duration? = nil) async throws(PulseError) -> [Device] {
    try await connection.sendDevices(.output, timeout).value()
  }

  /// Lists the sources, monitors included (libpulse: `pa_context_get_source_info_list`).
  ///
  /// Errors: those of every request (see `PulseClient`).
  public func sources(timeout: Duration? = nil) async throws(PulseError) -> [Device] {
    try await connection.sendDevices(.input, timeout).value()
  }

  /// Lists the playback streams (libpulse: `pa_context_get_sink_input_info_list`).
  ///
  /// Errors: those of every request (see `PulseClient`).
  public func sinkInputs(timeout: Duration? = nil) async throws(PulseError) -> [Stream] {
    try await connection.sendStreams(.output, timeout).value()
  }

  /// Lists the record streams (libpulse: `pa_context_get_source_output_info_list`).
  ///
  /// Errors: those of every request (see `PulseClient`).
  public func sourceOutputs(timeout: Duration? = nil) async throws(PulseError) -> [Stream] {
    try await connection.sendStreams(.input, timeout).value()
  }

  /// Lists the modules (libpulse: `pa_context_get_module_info_list`).
  ///
  /// Errors: those of every request (see `PulseClient`).
  public func modules(timeout: Duration? = nil) async throws(PulseError) -> [Module] {
    try await connection.sendModules(timeout).value()
  }

  /// Lists the clients (libpulse: `pa_context_get_client_info_list`).
  ///
  /// Errors: those of every request (see `PulseClient`).
  public func clients(timeout: Duration? = nil) async throws(PulseError) -> [Client] {
    try await connection.sendClients(timeout).value()
  }

  /// Lists the values that the server stores for streams, also of programs that do not run.
  ///
  /// Throws `notSupported` or `noSuchEntity` if `module-stream-restore` is not loaded. libpulse:
  /// `pa_ext_stream_restore_read`.
  public func savedStreams(timeout: Duration? = nil) async throws(PulseError) -> [SavedStream] {
    try await connection.send("stream_restore_read", timeout: timeout) {
      pa_ext_stream_restore_read($0, onSavedStreams, $1)
    }.value()
  }
}

extension PulseClient {
  /// Reads the card with a name; nil if there is none (libpulse:
  /// `pa_context_get_card_info_by_name`).
  ///
  /// Errors: those of every request (see `PulseClient`); `invalidArgument` for a name that none can
  /// have.
  public func card(named name: String, timeout: Duration? = nil) async throws(PulseError) -> Card? {
    try await connection.send("get_card \(name)", timeout: timeout) {
      pa_context_get_card_info_by_name($0, name, onCards, $1)
    }.firstValue()
  }

  /// Reads the source with a name; nil if there is none (libpulse:
  /// `pa_context_get_source_info_by_name`).
  ///
  /// The server accepts `@DEFAULT_SOURCE@` for the default, and digits for an index.
  ///
  /// Errors: those of every request (see `PulseClient`); `invalidArgument` for a name that none can
  /// have.
  public func source(
    named name: String, timeout: Duration? = nil
  ) async throws(PulseError) -> Device? {
    try await connection.send("get_source \(name)", timeout: timeout) {
      pa_context_get_source_info_by_name($0, name, onSources, $1)
    }.firstValue()
  }

  /// Reads the sink with a name; nil if there is none (libpulse:
  /// `pa_context_get_sink_info_by_name`).
  ///
  /// The server accepts `@DEFAULT_SINK@` for the default, and digits for an index.
  ///
  /// Errors: those of every request (see `PulseClient`); `invalidArgument` for a name that none can
  /// have.
  public func sink(
    named name: String, timeout: Duration? = nil
  ) async throws(PulseError) -> Device? {
    try await connection.send("get_sink \(name)", timeout: timeout) {
      pa_context_get_sink_info_by_name($0, name, onSinks, $1)
    }.firstValue()
  }

  /// Reads the playback stream with an index; nil if there is none (libpulse:
  /// `pa_context_get_sink_input_info`).
  ///
  /// Errors: those of every request (see `PulseClient`).
  public func sinkInput(
    at index: Index<Stream>, timeout: Duration? = nil
  ) async throws(PulseError) -> Stream? {
    try await connection.sendStreams(.output, at: index.rawValue, timeout).firstValue()
  }
}
