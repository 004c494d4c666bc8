public import PulseTypes

/// A process of a sandbox's server.
///
/// PulseAudio is one process. PipeWire is three, besides simulated cards: `pipewire` has the
/// devices and moves the sound, `wireplumber` decides what is connected to what, and
/// `pipewire-pulse` serves clients.
public enum ServerProcess: String, Sendable, Hashable, CaseIterable {
  case pulseaudio, pipewire, wireplumber
  case pipewirePulse = "pipewire-pulse"
  /// The hardware, if a PipeWire sandbox has simulated cards.
  case simulatedCards = "simulated-card"

  /// The processes of a kind of server, in the order in which they are started.
  public static func all(of kind: ServerKind) -> [ServerProcess] {
    switch kind {
    case .pulseaudio: [.pulseaudio]
    case .pipewire: [.pipewire, .wireplumber, .pipewirePulse]
    }
  }

  /// The process that serves clients.
  static func front(of kind: ServerKind) -> ServerProcess {
    kind == .pulseaudio ? .pulseaudio : .pipewirePulse
  }

  /// The socket on which it listens; nil if others do not connect to it.
  func socket(in folder: SandboxFolder) -> String? {
    switch self {
    case .pulseaudio, .pipewirePulse: folder.socket
    case .pipewire: folder.path + "/pipewire-0"
    case .simulatedCards: folder.cards
    case .wireplumber: nil
    }
  }
}
