package import PulseTypes

/// What sets one server of the PulseAudio protocol apart from another.
///
/// Policy asks for a trait by its name, and never for the program. A trait is absent where a server
/// behaves as the protocol's own documentation says.
package struct ServerTraits: OptionSet, Sendable, Hashable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// All devices run at one rate and one buffer, which a running stream forces by its properties. No
  /// device reports its buffer, and one at rest no rate that means anything.
  package static let forcedGraph = ServerTraits(rawValue: 1 << 0)
  /// It acknowledges a request before it acts, and may never act: what a request did shows later.
  package static let earlyReplies = ServerTraits(rawValue: 1 << 1)
  /// It sends no event when a stream is connected to another device.
  package static let silentMoves = ServerTraits(rawValue: 1 << 2)
  /// Another program, the session manager, decides what is connected to what.
  package static let sessionManager = ServerTraits(rawValue: 1 << 3)
  /// Levels that it remembers of a device or stream are restored after that has appeared.
  package static let lateRestoring = ServerTraits(rawValue: 1 << 4)
  /// What it remembers of streams is only how loud they are, and only what a stream shows is stored.
  package static let learnedStreams = ServerTraits(rawValue: 1 << 5)
  /// It does not report which module made a device where a module makes several, and may list a module
  /// whose devices were never made.
  package static let unattributedDevices = ServerTraits(rawValue: 1 << 6)
  /// A device is suspended where nobody uses it, and not because another program suspended it.
  package static let suspendedAtRest = ServerTraits(rawValue: 1 << 7)
  /// It has one echo canceller, whatever name it is given.
  package static let oneEchoCanceller = ServerTraits(rawValue: 1 << 8)
  /// Only a device with hardware keeps the latency offset of its port.
  package static let offsetsOfHardware = ServerTraits(rawValue: 1 << 9)
  /// A connection may never get an answer again while a new one does.
  package static let deafConnections = ServerTraits(rawValue: 1 << 10)
  /// A device without a card shows a new level only once it has run.
  package static let levelsShownAwake = ServerTraits(rawValue: 1 << 11)
  /// A recording stream loses sound, or receives none any more, without being told.
  package static let silentLoss = ServerTraits(rawValue: 1 << 12)
  /// It ranks devices by a property of theirs alone.
  package static let rankedByProperty = ServerTraits(rawValue: 1 << 13)
  /// It lets programs in by the socket's permissions, without a cookie.
  package static let noCookie = ServerTraits(rawValue: 1 << 14)
  /// A PulseAudio that a program starts would come up beside it.
  package static let besidePulseAudio = ServerTraits(rawValue: 1 << 15)
  /// It chooses the profiles of cards by itself.
  package static let choosesProfiles = ServerTraits(rawValue: 1 << 16)
  /// It has no module that silences or ducks streams by their role.
  package static let withoutRoleModules = ServerTraits(rawValue: 1 << 17)
}

extension ServerKind {
  /// What sets it apart: the one place that tells kinds of servers apart.
  package var traits: ServerTraits {
    switch self {
    case .pulseaudio: []
    case .pipewire:
      [
        .forcedGraph, .earlyReplies, .silentMoves, .sessionManager, .lateRestoring, .learnedStreams,
        .unattributedDevices, .suspendedAtRest, .oneEchoCanceller, .offsetsOfHardware,
        .deafConnections, .levelsShownAwake, .silentLoss, .rankedByProperty, .noCookie,
        .besidePulseAudio, .choosesProfiles, .withoutRoleModules,
      ]
    }
  }
}

extension ServerSnapshot {
  /// Whether the server has a trait.
  package func has(_ trait: ServerTraits) -> Bool { server.kind.traits.contains(trait) }
}
