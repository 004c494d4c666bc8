internal import CPulse
internal import PulseTypes

/// The requests of `PulseClient`'s reads; sent now, awaited later. Without an index they request
/// all objects of their kind.
extension Connection {
  func sendServerInfo(_ timeout: Duration?) throws(PulseError) -> Pending<ServerInfo> {
    try send("get_server_info", timeout: timeout) {
      pa_context_get_server_info($0, onServerInfo, $1)
    }
  }

  func sendCards(
    at index: UInt32? = nil, _ timeout: Duration?
  ) throws(PulseError) -> Pending<[Card]> {
    try send(words("card", index), timeout: timeout) {
      if let index { return pa_context_get_card_info_by_index($0, index, onCards, $1) }
      return pa_context_get_card_info_list($0, onCards, $1)
    }
  }

  func sendDevices(
    _ direction: Direction, at index: UInt32? = nil, _ timeout: Duration?
  ) throws(PulseError) -> Pending<[Device]> {
    try send(words(direction.deviceWord, index), timeout: timeout) {
      switch (direction, index) {
      case (.input, let index?): pa_context_get_source_info_by_index($0, index, onSources, $1)
      case (.input, nil): pa_context_get_source_info_list($0, onSources, $1)
      case (.output, let index?): pa_context_get_sink_info_by_index($0, index, onSinks, $1)
      case (.output, nil): pa_context_get_sink_info_list($0, onSinks, $1)
      }
    }
  }

  func sendStreams(
    _ direction: Direction, at index: UInt32? = nil, _ timeout: Duration?
  ) throws(PulseError) -> Pending<[Stream]> {
    try send(words(direction.streamWord, index), timeout: timeout) {
      switch (direction, index) {
      case (.input, let index?):
        pa_context_get_source_output_info($0, index, onSourceOutputs, $1)
      case (.input, nil): pa_context_get_source_output_info_list($0, onSourceOutputs, $1)
      case (.output, let index?): pa_context_get_sink_input_info($0, index, onSinkInputs, $1)
      case (.output, nil): pa_context_get_sink_input_info_list($0, onSinkInputs, $1)
      }
    }
  }

  func sendModules(
    at index: UInt32? = nil, _ timeout: Duration?
  ) throws(PulseError) -> Pending<[Module]> {
    try send(words("module", index), timeout: timeout) {
      if let index { return pa_context_get_module_info($0, index, onModules, $1) }
      return pa_context_get_module_info_list($0, onModules, $1)
    }
  }

  func sendClients(
    at index: UInt32? = nil, _ timeout: Duration?
  ) throws(PulseError) -> Pending<[Client]> {
    try send(words("client", index), timeout: timeout) {
      if let index { return pa_context_get_client_info($0, index, onClients, $1) }
      return pa_context_get_client_info_list($0, onClients, $1)
    }
  }
}

private func words(_ object: String, _ index: UInt32?) -> String {
  index.map { "get_\(object) \($0)" } ?? "get_\(object)_list"
}

extension Pending {
  /// The answer's only element; nil if there is no such object.
  func firstValue<Element>(
    isolation: isolated (any Actor)? = #isolation
  ) async throws(PulseError) -> Element? where Value == [Element] {
    do throws(PulseError) {
      return try await value().first
    } catch {
      guard error.code == .noSuchEntity else { throw error }
      return nil
    }
  }
}

extension Direction {
  /// libpulse's term for a device of this direction.
  var deviceWord: String { self == .input ? "source" : "sink" }
  /// libpulse's term for a stream of this direction.
  var streamWord: String { self == .input ? "source_output" : "sink_input" }
}
