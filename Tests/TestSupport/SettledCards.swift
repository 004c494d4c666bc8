internal import POSIX
internal import Pulse
package import PulseSandbox
internal import PulseTypes

extension PulseSandbox {
  /// Waits until the session manager has chosen a profile for each simulated card, and ports and
  /// volumes for their devices, and clients see them: it chooses again after each plug and each
  /// change of a profile. PulseAudio has finished when it answers.
  package func settleCards() async throws {
    guard configuration.server == .pipewire else { return }
    let client = try await PulseClient.connect(to: address, name: "sandbox")
    var lack: String? = "no answer"
    let settled = await outcome {
      try await eventually {
        lack = await whatCardsLack(
          try await client.snapshot(since: nil), until: .now + .seconds(20))
        return lack == nil
      }
    }
    await client.close()
    guard try !settled.get() else { return }
    throw UnsettledCards(description: "the cards are not complete in time: \(lack ?? "")")
  }
}

private struct UnsettledCards: Error, CustomStringConvertible { let description: String }
