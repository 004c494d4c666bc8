internal import POSIX
internal import PulseSandbox
internal import PulseTypes
package import Testing

/// What a test needs from the machine, and how a skip names it.
package enum Needs {
  package static let pulseaudio = ServerProgram.pulseaudio != nil
  package static let simulatedCard = pulseaudio && SimulatedCard.modulePath() != nil
  /// PipeWire with simulated cards.
  package static let graphCards =
    ServerProgram.isInstalled(.pipewire) && SimulatedCard.programPath() != nil
}

extension Trait where Self == ConditionTrait {
  /// Skips where there is no server to start.
  package static var server: Self { needs(Needs.pulseaudio, "needs the package pulseaudio") }

  /// Skips where one of the servers is missing.
  package static var pipewire: Self {
    needs(
      ServerProgram.isInstalled(.pulseaudio) && ServerProgram.isInstalled(.pipewire),
      "needs the packages pulseaudio, pipewire, pipewire-pulse and wireplumber")
  }

  /// Skips where the simulated cards are not built.
  package static var simulatedCard: Self {
    needs(
      Needs.simulatedCard,
      "needs the packages pulseaudio and dpkg-dev, and Tests/SimulatedCard/build")
  }

  /// PipeWire with simulated cards.
  package static var graphCards: Self {
    needs(
      Needs.graphCards,
      """
      needs the packages pipewire, pipewire-pulse, wireplumber and libpipewire-0.3-dev, and \
      Tests/SimulatedCard/build
      """)
  }

  /// Both servers, with simulated cards.
  package static var bothServers: Self {
    needs(
      Needs.simulatedCard && Needs.graphCards,
      """
      needs the packages pulseaudio, dpkg-dev, pipewire, pipewire-pulse, wireplumber and \
      libpipewire-0.3-dev, and Tests/SimulatedCard/build
      """)
  }

  /// Skips where a server is missing; where one is started once more, its tries are printed.
  private static func needs(
    _ condition: @autoclosure @escaping @Sendable () -> Bool, _ comment: Comment
  ) -> Self {
    SandboxTries.printAll()
    return .enabled(if: condition(), comment)
  }
}

/// The program as it was built beside the tests.
package let builtProgram = File.programFolder + "/audiosession"
