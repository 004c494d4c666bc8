public import PulseTypes

/// What `doctor` knows of a machine: the server, and what is around it.
///
/// A plain value, so that each rule is a function that a table can test.
public struct MachineFacts: Sendable {
  /// A line of a configuration file that is in force.
  public struct Line: Sendable, Hashable {
    /// The name before the `=`, or a module's name behind `load-module`.
    public var key: String
    /// What follows it.
    public var value: String
    /// The file's path.
    public var file: String
    /// The line's number, from 1.
    public var number: Int

    /// Makes a line.
    public init(_ key: String, _ value: String, file: String, number: Int) {
      self.key = key
      self.value = value
      self.file = file
      self.number = number
    }
  }

  /// A process.
  public struct Program: Sendable, Hashable {
    /// Its number.
    public var pid: Int32
    /// Its program, as the process list has it.
    public var name: String

    /// Makes a process.
    public init(pid: Int32, name: String) {
      self.pid = pid
      self.name = name
    }
  }

  /// A socket that programs look for a sound server at.
  public struct Socket: Sendable, Hashable {
    /// Its path.
    public var path: String
    /// Who listens there; nil if that cannot be seen.
    public var program: Program?

    /// Makes a socket.
    public init(_ path: String, _ program: Program?) {
      self.path = path
      self.program = program
    }
  }

  /// The file by which a client proves that it may connect.
  public enum Cookie: Sendable, Hashable {
    /// It is there, and as it should be.
    case good
    /// There is none.
    case missing
    /// It cannot be read, and why.
    case unreadable(String)
    /// It has so many bytes, and not 256.
    case wrongSize(Int)
    /// Others may read it: the permission bits.
    case exposed(UInt32)
  }

  /// What an input delivered while it was recorded.
  public struct Heard: Sendable, Hashable {
    /// Something that is wrong with the sound; channels are counted from 0.
    public enum Fault: Sendable, Hashable {
      /// No channel carries anything.
      case silent
      /// This channel carries nothing, while another does.
      case deadChannel(Int)
      /// These two carry the same.
      case dualMono(Int, Int)
      /// So many samples of this channel are at full scale.
      case clipping(Int, samples: Int)
      /// This channel's samples lie around this value.
      case offset(Int, Double)
    }

    /// The source's name.
    public var device: String
    /// What is wrong; empty if all is well.
    public var faults: [Fault]

    /// Makes a recording's result.
    public init(device: String, faults: [Fault]) {
      self.device = device
      self.faults = faults
    }
  }

  /// The server; nil if there is none.
  public var snapshot: ServerSnapshot?
  /// Why there is none.
  public var unreachable: SessionError?
  /// Where it was looked for.
  public var address = ""
  /// The machine that the server runs on, where that is another one.
  public var serverHost: String?
  /// The process that answers there; nil if that cannot be seen.
  public var server: Program?
  /// What the server remembers of streams.
  public var savedStreams: [SavedStream] = []
  /// The `PULSE_…` and `PIPEWIRE_…` variables of this process.
  public var variables: [String: String] = [:]
  /// The client's settings (`client.conf`), the last of a key in force.
  public var clientSettings: [Line] = []
  /// PulseAudio's settings (`daemon.conf`).
  public var daemonSettings: [Line] = []
  /// PipeWire's settings (`pipewire.conf`).
  public var graphSettings: [Line] = []
  /// The `load-module` lines of PulseAudio's start (`default.pa`), by module.
  public var startup: [Line] = []
  /// Where to write a setting that no file has yet, by the file's name.
  public var places: [String: String] = [:]
  /// The cookie's path and state; nil if none is needed.
  public var cookie: (path: String, state: Cookie)?
  /// Where sound servers listen.
  public var sockets: [Socket] = []
  /// Who has a sound card open.
  public var cardUsers: [Program] = []
  /// Whether this process may do anything.
  public var isRoot = false
  /// The state of the session, with its wish.
  public var state: SessionState?
  /// What the session would restore.
  public var baseline = Baseline()
  /// Files of the session that cannot be read, and why.
  public var damaged: [SessionError] = []
  /// The names of the files of the session by kind: `wish`, `baseline`.
  public var storeFiles: [String: String] = [:]
  /// What the inputs delivered; nil if nothing was recorded.
  public var heard: [Heard]?
  /// The inputs that should have been recorded, and could not be.
  public var unheard: [String] = []

  /// Makes the facts of a machine that has nothing.
  public init() {}
}

extension [MachineFacts.Line] {
  /// The line in force for a key: the last one.
  public subscript(key: String) -> MachineFacts.Line? { last { $0.key == key } }
}
