internal import JSONCoding
public import PulseTypes

/// Codecs of Bluetooth cards, through the messages of pipewire-pulse and of PulseAudio since
/// version 15.
extension PulseClient {
  /// Returns the codecs of a card on its active profile, and the name of the active one.
  ///
  /// Throws `noSuchEntity` if the card does not support the messages: it is not a Bluetooth card,
  /// or the server is too old. libpulse: `pa_context_send_message_to_object`, `list-codecs`,
  /// `get-codec`.
  public func codecs(
    of card: String, timeout: Duration? = nil
  ) async throws(PulseError) -> (offered: [Codec], active: String?) {
    let path = "/card/\(card)/bluez"
    let list = try await sendMessage(to: path, "list-codecs", timeout: timeout)
    let items = list.flatMap { Message.parse($0, as: [MessageCodec].self) } ?? []
    let offered = items.compactMap { item in
      item.name.text.map { Codec(name: $0, description: item.description?.text ?? "") }
    }
    let now = try await sendMessage(to: path, "get-codec", timeout: timeout)
    let active = now.flatMap { Message.parse($0, as: MessageText.self) }?.text
    return (offered, offered.first { $0.serverName == active }?.name ?? active)
  }

  /// Switches a card to a codec, by the server's name (`Codec.serverName`); the server removes and
  /// recreates its devices.
  ///
  /// The answer precedes the switch. If the card does not offer the codec, PulseAudio throws
  /// `invalidArgument`; pipewire-pulse changes nothing and reports no error. libpulse:
  /// `pa_context_send_message_to_object`, `switch-codec`.
  public func switchCodec(
    of card: String, to name: String, timeout: Duration? = nil
  ) async throws(PulseError) {
    _ = try await sendMessage(
      to: "/card/\(card)/bluez", "switch-codec", JSON.Style.file.quoted(name), timeout: timeout)
  }
}
