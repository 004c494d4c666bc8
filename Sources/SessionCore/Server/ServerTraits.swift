package import PulseTypes

/// The properties in which servers of the PulseAudio protocol differ.
///
/// Policy asks for a trait by its name, never for the kind of server. A trait is absent if a server
/// behaves as the protocol's documentation describes.
package struct ServerTraits: OptionSet, Sendable, Hashable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// The rate is that of the graph, which a running stream forces, and no device's: one that is idle
  /// reports a meaningless rate (`GraphTests.pin`, `ServersTests.rate`).
  package static let graphRate = ServerTraits(rawValue: 1 << 0)
  /// The buffer is that of the graph, for all devices: a power of two, in frames, which a running
  /// stream forces (`GraphTests.grains`).
  package static let graphBuffer = ServerTraits(rawValue: 1 << 1)
  /// A stream that holds a rate or a buffer does so only while it runs (`GraphTests.tended`).
  package static let runningPins = ServerTraits(rawValue: 1 << 2)
  /// No device reports its buffer, which is measured instead (`GraphTests.capabilities`).
  package static let unreportedBuffer = ServerTraits(rawValue: 1 << 3)
  /// The rates that it may take are settings of the graph, in `pipewire.conf` (`RateChecks`).
  package static let graphSettings = ServerTraits(rawValue: 1 << 4)
  /// A stream that must not move may stay open without a device after its device was removed
  /// (`GraphTests.endedPins`).
  package static let strandedStreams = ServerTraits(rawValue: 1 << 5)
  /// Both ends of an echo canceller run, whichever is used (`EchoTests.playedOnly`).
  package static let jointCanceller = ServerTraits(rawValue: 1 << 6)
  /// It acknowledges a request before it acts, and may never act: the result appears later.
  package static let earlyReplies = ServerTraits(rawValue: 1 << 7)
  /// It sends no event when a stream is connected to another device.
  package static let silentMoves = ServerTraits(rawValue: 1 << 8)
  /// Another program, the session manager, decides what is connected to what.
  package static let sessionManager = ServerTraits(rawValue: 1 << 9)
  /// It restores the stored levels of a device or stream after the object has appeared.
  package static let lateRestoring = ServerTraits(rawValue: 1 << 10)
  /// It stores only the loudness of streams, and only values that a stream has.
  package static let learnedStreams = ServerTraits(rawValue: 1 << 11)
  /// It does not report the module of a device if the module makes several, and may list a module
  /// whose devices were never made.
  package static let unattributedDevices = ServerTraits(rawValue: 1 << 12)
  /// It suspends an idle device, so suspension does not mean that another program suspended it.
  package static let suspendedAtRest = ServerTraits(rawValue: 1 << 13)
  /// It has one echo canceller, whatever method is named.
  package static let oneEchoCanceller = ServerTraits(rawValue: 1 << 14)
  /// Only a device with hardware stores the latency offset of its port.
  package static let offsetsOfHardware = ServerTraits(rawValue: 1 << 15)
  /// A connection may stop getting answers although a new one gets them.
  package static let deafConnections = ServerTraits(rawValue: 1 << 16)
  /// A device without a card shows a new level only once it has run.
  package static let levelsShownAwake = ServerTraits(rawValue: 1 << 17)
  /// A recording stream may lose sound, or receive none any more, without an error.
  package static let silentLoss = ServerTraits(rawValue: 1 << 18)
  /// It ranks devices only by one of their properties.
  package static let rankedByProperty = ServerTraits(rawValue: 1 << 19)
  /// It authorizes clients by the socket's permissions, without a cookie.
  package static let noCookie = ServerTraits(rawValue: 1 << 20)
  /// A PulseAudio that a program autostarts would run beside it.
  package static let besidePulseAudio = ServerTraits(rawValue: 1 << 21)
  /// It chooses card profiles by itself.
  package static let choosesProfiles = ServerTraits(rawValue: 1 << 22)
  /// The devices of an echo canceller have volumes of their own; otherwise they have their masters'.
  package static let ownCancellerVolumes = ServerTraits(rawValue: 1 << 23)
  /// It may stop reporting changes of the defaults to the programs that are connected.
  package static let forgottenDefaults = ServerTraits(rawValue: 1 << 24)
  /// A card whose hardware has no decibel scale takes the nearest of its volumes, and shows that one.
  package static let nearestVolumes = ServerTraits(rawValue: 1 << 25)
}

extension ServerKind {
  /// The traits of each kind of server; the only place that distinguishes kinds.
  package var traits: ServerTraits {
    switch self {
    case .pulseaudio: []
    case .pipewire: Self.traitsOfPipeWire
    }
  }

  private static let traitsOfPipeWire: ServerTraits = [
    .graphRate, .graphBuffer, .runningPins, .unreportedBuffer, .graphSettings, .strandedStreams,
    .jointCanceller, .earlyReplies, .silentMoves, .sessionManager, .lateRestoring, .learnedStreams,
    .unattributedDevices, .suspendedAtRest, .oneEchoCanceller, .offsetsOfHardware, .deafConnections,
    .levelsShownAwake, .silentLoss, .rankedByProperty, .noCookie, .besidePulseAudio,
    .choosesProfiles, .ownCancellerVolumes, .forgottenDefaults, .nearestVolumes,
  ]
}

extension ServerSnapshot {
  package func has(_ trait: ServerTraits) -> Bool { traits.contains(trait) }

  package var traits: ServerTraits { server.kind.traits }
}
