public import PulseTypes

/// A process of a sandbox's server.
///
/// PulseAudio is one process. PipeWire is three, beside simulated cards: `pipewire` has the devices and moves the sound,
/// `wireplumber` decides what is connected to what, and `pipewire-pulse` answers clients.
public enum ServerProcess: String, Sendable, Hashable, CaseIterable {
  case pulseaudio, pipewire, wireplumber
  case pipewirePulse = "pipewire-pulse"
  /// The hardware, where a PipeWire sandbox has simulated cards.
  case simulatedCards = "simulated-card"

  /// The processes of a kind of server, in the order in which they are started.
  public static func all(of kind: ServerKind) -> [ServerProcess] {
    switch kind {
    case .pulseaudio: [.pulseaudio]
    case .pipewire: [.pipewire, .wireplumber, .pipewirePulse]
    }
  }

  /// The one that clients talk to.
  static func front(of kind: ServerKind) -> ServerProcess {
    kind == .pulseaudio ? .pulseaudio : .pipewirePulse
  }

  /// The socket that it listens on; nil for one that others do not connect to.
  func socket(in folder: SandboxFolder) -> String? {
    switch self {
    case .pulseaudio, .pipewirePulse: folder.socket
    case .pipewire: folder.path + "/pipewire-0"
    case .simulatedCards: folder.cards
    case .wireplumber: nil
    }
  }
}
