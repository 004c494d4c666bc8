import Pulse
import PulseTypes
import SessionCore

extension LiveServer {
  /// Requests the codecs of the given Bluetooth cards, which no list has.
  ///
  /// PipeWire asks the card for them when a client connects and when they change, and reports none
  /// until it has an answer. So this repeats the request for a moment, once per profile.
  ///
  /// - Parameters:
  ///   - objects: the objects that were read; nil for all.
  ///   - codecless: the profiles that are known to have none.
  static func addCodecs(
    of client: PulseClient, to read: inout ServerSnapshot, since objects: Set<ObjectID>?,
    codecless: inout Set<String>, deadline: Deadline
  ) async throws(PulseError) {
    // One deadline for all cards: a server may list any number of them, and answer for none.
    let last = ContinuousClock.now + min(.seconds(2), deadline.remaining)
    var patience: Duration { min(.seconds(1), max(.milliseconds(1), last - .now)) }
    for at in read.cards.indices where read.cards[at].isBluetooth {
      let card = read.cards[at]
      guard objects?.contains(.card(card.index)) ?? true else { continue }
      // An old server, or a card that is being removed, does not answer.
      var answer = try? await client.codecs(of: card.name, timeout: patience)
      let profile = "\(card.name) \(card.activeProfile ?? "off")"
      let end = min(last, .now + .milliseconds(500))
      while answer?.active == nil, read.has(.earlyReplies), card.activeProfile != "off",
        !codecless.contains(profile)
      {
        let moment = ContinuousClock.now + .milliseconds(5)
        guard moment < end, (try? await client.loop.sleep(until: moment)) != nil else {
          codecless.insert(profile)
          break
        }
        answer = try? await client.codecs(of: card.name, timeout: patience)
      }
      // Not an answer: the card may have codecs.
      if Task.isCancelled { throw PulseError(.cancelled, "list-codecs") }
      if answer?.active != nil { codecless.remove(profile) }
      read.cards[at].codecs = answer?.offered
      read.cards[at].activeCodec = answer?.active
    }
  }
}
