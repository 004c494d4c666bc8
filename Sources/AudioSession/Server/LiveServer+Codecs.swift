import Pulse
import PulseTypes
import SessionCore

extension LiveServer {
  /// Asks the Bluetooth cards that were read for their codecs, which no listing has.
  ///
  /// - Parameter objects: what was read; nil is everything.
  static func addCodecs(
    of client: PulseClient, to read: inout ServerSnapshot, since objects: Set<ObjectID>?
  ) async {
    for at in read.cards.indices where read.cards[at].isBluetooth {
      let card = read.cards[at]
      guard objects?.contains(.card(card.index)) ?? true else { continue }
      // A server that is too old, or a card that is just going, says nothing of them.
      let answer = try? await client.codecs(of: card.name, timeout: .seconds(1))
      read.cards[at].codecs = answer?.offered
      read.cards[at].activeCodec = answer?.active
    }
  }
}
