public import PulseTypes

/// Codecs of Bluetooth cards, by the messages that PulseAudio 15 and later and pipewire-pulse take.
extension PulseClient {
  /// The codecs that a card offers on its current profile, and the name of the one in use.
  ///
  /// Throws `noSuchEntity` if the card takes no such messages: it is no Bluetooth card, or the
  /// server is too old. libpulse: `pa_context_send_message_to_object`, `list-codecs`, `get-codec`.
  public func codecs(
    of card: String, timeout: Duration? = nil
  ) async throws(PulseError) -> (offered: [Codec], active: String?) {
    let path = "/card/\(card)/bluez"
    let list = try await sendMessage(to: path, "list-codecs", timeout: timeout)
    let offered = (list.flatMap(MessageValue.init)?.list ?? []).compactMap { item in
      item["name"]?.text.map { Codec(name: $0, description: item["description"]?.text ?? "") }
    }
    let now = try await sendMessage(to: path, "get-codec", timeout: timeout)
    let active = now.flatMap(MessageValue.init)?.text
    return (offered, offered.first { $0.serverName == active }?.name ?? active)
  }

  /// Switches a card to a codec, by the server's name for it (`Codec.serverName`); its devices go and
  /// come again.
  ///
  /// The answer comes before that. PulseAudio throws `invalidArgument` where the card does not offer
  /// the codec; pipewire-pulse says nothing, and all stays as it is.
  /// libpulse: `pa_context_send_message_to_object`, `switch-codec`.
  public func switchCodec(
    of card: String, to name: String, timeout: Duration? = nil
  ) async throws(PulseError) {
    _ = try await sendMessage(
      to: "/card/\(card)/bluez", "switch-codec", MessageValue.quoted(name), timeout: timeout)
  }
}
