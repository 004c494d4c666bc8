public import JSONCoding
public import PulseTypes

extension SessionState {
  /// The server of the state.
  public struct Server: Sendable, Hashable, Codable {
    /// PulseAudio or PipeWire.
    public var kind: ServerKind
    /// Its name for itself.
    public var name: String
    /// Its version.
    public var version: String
    /// The address at which it was reached.
    public var address: String

    /// The server and its version as people know them: `PipeWire 0.3.65`, `PulseAudio 16.1`.
    package var title: String {
      guard kind == .pipewire else {
        return (name == "pulseaudio" ? "PulseAudio" : name) + " \(version)"
      }
      // pipewire-pulse calls itself "PulseAudio (on PipeWire 0.3.65)", of a version 15.
      guard let start = name.firstRange(of: "PipeWire ")?.lowerBound else { return name }
      return String(name[start...].prefix { $0 != ")" })
    }

    package init(kind: ServerKind, name: String, version: String, address: String) {
      self.kind = kind
      self.name = name
      self.version = version
      self.address = address
    }
  }

  /// The process that holds the session.
  public struct Holder: Sendable, Hashable, Codable, EncodableWithNulls, RunningProgram {
    /// Its process id.
    public var pid: Int32
    /// Its program's name.
    public var name: String
    /// When it began to hold the session, in ISO 8601; nil until it has reported it.
    public var since: String?

    /// Whether it is the command, which can be told to end.
    package var isCommand: Bool { name == "audiosession" }

    package init(pid: Int32, name: String, since: String? = nil) {
      self.pid = pid
      self.name = name
      self.since = since
    }
  }

  /// A stream that the session keeps open to hold a rate or a latency.
  package struct Pin: Sendable, Hashable, Codable, EncodableWithNulls {
    package var device: String
    /// `rate` or `latency`.
    package var kind: String
    /// The latency in seconds; nil for a rate, and on PipeWire for a buffer that was not seen yet.
    package var latency: Double?
    /// The rate in Hz.
    package var sampleRate: Int
    /// Whether it is held now; false if only an apply held it.
    package var held: Bool
    /// Whether its stream runs, which appears as a recording or a playback: on PipeWire, while
    /// another stream uses the device, and for a moment at an apply.
    package var running: Bool

    package init(
      device: String, kind: String, latency: Double?, sampleRate: Int, held: Bool,
      running: Bool = false
    ) {
      self.device = device
      self.kind = kind
      self.latency = latency
      self.sampleRate = sampleRate
      self.held = held
      self.running = running
    }
  }

  /// A part of the session that processes the sound between hardware and programs.
  package struct Processing: Sendable, Hashable, Codable {
    /// Its kind: `echo-cancel`.
    package var kind: String
    /// Its method: `webrtc`.
    package var method: String
    /// Whether a program records or plays through it.
    package var inUse: Bool
    /// The devices that it keeps running even when idle: a microphone then appears as in use.
    package var keepsRunning: [String]
  }
}

extension ServerSnapshot {
  /// The session's processing of the sound, and the devices that it keeps running.
  var processing: [SessionState.Processing] {
    guard let canceller = chain.echoCanceller else { return [] }
    let ends = chain.devices(of: .echoCanceller) + chain.ownedDevices(.input, of: .chain(.input))
    let masters = chain.devices(of: .echoCanceller).compactMap { chain.root(of: $0) }
    return [
      SessionState.Processing(
        kind: "echo-cancel", method: canceller.method,
        inUse: ends.contains { end in foreignStreams(on: end).contains { !$0.isCorked } },
        keepsRunning: masters.filter { $0.state == .running }.map(\.name))
    ]
  }
}
