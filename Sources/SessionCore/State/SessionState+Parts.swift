public import JSONCoding
public import PulseTypes

extension SessionState {
  /// The server that the state is of.
  public struct Server: Sendable, Hashable, Codable {
    /// PulseAudio or PipeWire.
    public var kind: ServerKind
    /// What it calls itself.
    public var name: String
    /// Its version.
    public var version: String
    /// Where it was reached.
    public var address: String

    /// Makes a description.
    public init(kind: ServerKind, name: String, version: String, address: String) {
      self.kind = kind
      self.name = name
      self.version = version
      self.address = address
    }
  }

  /// The process that holds the session.
  public struct Holder: Sendable, Hashable, Codable, EncodableWithNulls {
    /// Its process id.
    public var pid: Int32
    /// Its program's name.
    public var name: String
    /// Since when it holds the session, as ISO 8601 has it; nil where it has not said so yet.
    public var since: String?

    /// Makes a description.
    public init(pid: Int32, name: String, since: String? = nil) {
      self.pid = pid
      self.name = name
      self.since = since
    }
  }

  /// A stream that the session holds open to keep a rate or a latency.
  public struct Pin: Sendable, Hashable, Codable, EncodableWithNulls {
    /// The device it is on.
    public var device: String
    /// `rate` or `latency`.
    public var kind: String
    /// Seconds of a latency pin.
    public var latency: Double?
    /// Hz of the pin.
    public var sampleRate: Int
    /// Whether it is held now; false for one that only an apply held.
    public var held: Bool
    /// Whether its stream runs, which shows as a recording or a playback: on PipeWire, while somebody
    /// uses the device.
    public var running: Bool

    /// Makes a description.
    public init(
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

  /// Something of ours that works on the sound between hardware and programs.
  public struct Processing: Sendable, Hashable, Codable {
    /// What it is: `echo-cancel`.
    public var kind: String
    /// How it does it: `webrtc`.
    public var method: String
    /// Whether some program records or plays through it.
    public var inUse: Bool
    /// The devices that it keeps running, in use or not: a microphone that shows as open.
    public var keepsRunning: [String]

    /// Makes a description.
    public init(kind: String, method: String, inUse: Bool, keepsRunning: [String]) {
      self.kind = kind
      self.method = method
      self.inUse = inUse
      self.keepsRunning = keepsRunning
    }
  }
}

extension ServerSnapshot {
  /// What of ours works on the sound, and what it keeps awake.
  var processing: [SessionState.Processing] {
    guard let canceller = echoCanceller else { return [] }
    let ends = devices(of: .echoCanceller) + ownedDevices(.input, of: .chain(.input))
    let masters = devices(of: .echoCanceller).compactMap { root(of: $0) }
    return [
      SessionState.Processing(
        kind: "echo-cancel", method: canceller.method,
        inUse: ends.contains { end in foreignStreams(on: end).contains { !$0.isCorked } },
        keepsRunning: masters.filter { $0.state == .running }.map(\.name))
    ]
  }
}
