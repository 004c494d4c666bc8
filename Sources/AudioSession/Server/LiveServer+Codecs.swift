import Pulse
import PulseTypes
import SessionCore

extension LiveServer {
  /// Asks the Bluetooth cards that were read for their codecs, which no listing has.
  ///
  /// PipeWire asks the card for them when a client comes and when they change, and until it has an
  /// answer says that there are none: so it is asked again for a moment, once for each profile.
  ///
  /// - Parameters:
  ///   - objects: what was read; nil is everything.
  ///   - codecless: the profiles that were found to have none.
  static func addCodecs(
    of client: PulseClient, to read: inout ServerSnapshot, since objects: Set<ObjectID>?,
    codecless: inout Set<String>
  ) async {
    for at in read.cards.indices where read.cards[at].isBluetooth {
      let card = read.cards[at]
      guard objects?.contains(.card(card.index)) ?? true else { continue }
      // A server that is too old, or a card that is just going, says nothing of them.
      var answer = try? await client.codecs(of: card.name, timeout: .seconds(1))
      let profile = "\(card.name) \(card.activeProfile ?? "off")"
      let end = ContinuousClock.now + .milliseconds(500)
      while answer?.active == nil, read.has(.earlyReplies), card.activeProfile != "off",
        !codecless.contains(profile)
      {
        let moment = ContinuousClock.now + .milliseconds(5)
        guard moment < end, (try? await client.loop.sleep(until: moment)) != nil else {
          codecless.insert(profile)
          break
        }
        answer = try? await client.codecs(of: card.name, timeout: .seconds(1))
      }
      if answer?.active != nil { codecless.remove(profile) }
      read.cards[at].codecs = answer?.offered
      read.cards[at].activeCodec = answer?.active
    }
  }
}
