public import PulseTypes

/// The facts that `doctor` knows about a machine: the server and its environment.
///
/// A plain value, so that each rule is a function that a table can test.
public struct MachineFacts: Sendable {
  /// An effective line of a configuration file.
  public struct Line: Sendable, Hashable {
    /// The name before the `=`, or the module's name after `load-module`.
    public var key: String
    /// The rest of the line.
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
    /// The process id.
    public var pid: Int32
    /// The program's name, as in the process list.
    public var name: String

    /// Makes a process.
    public init(pid: Int32, name: String) {
      self.pid = pid
      self.name = name
    }
  }

  /// A socket on which programs look for a sound server.
  public struct Socket: Sendable, Hashable {
    /// The path.
    public var path: String
    /// The listening process; nil if it is unknown.
    public var program: Program?

    /// Makes a socket.
    public init(_ path: String, _ program: Program?) {
      self.path = path
      self.program = program
    }
  }

  /// The state of the file with which a client authenticates itself.
  public enum Cookie: Sendable, Hashable {
    /// It exists and is valid.
    case good
    /// It does not exist.
    case missing
    /// It cannot be read; the value is why.
    case unreadable(String)
    /// It has this number of bytes instead of 256.
    case wrongSize(Int)
    /// Other users may read it; the value is its permission bits.
    case exposed(UInt32)
  }

  /// The result of recording an input.
  public struct Heard: Sendable, Hashable {
    /// A fault of the sound; channels are counted from 0.
    public enum Fault: Sendable, Hashable {
      /// All channels are silent.
      case silent
      /// This channel is silent although another is not.
      case deadChannel(Int)
      /// These two channels carry the same sound.
      case dualMono(Int, Int)
      /// This number of samples of the channel is at full scale.
      case clipping(Int, samples: Int)
      /// The samples of this channel are centered at this value.
      case offset(Int, Double)
    }

    /// The source's name.
    public var device: String
    /// The faults; empty if there are none.
    public var faults: [Fault]

    /// Makes a recording's result.
    public init(device: String, faults: [Fault]) {
      self.device = device
      self.faults = faults
    }
  }

  /// The server; nil if there is none.
  public var snapshot: ServerSnapshot?
  /// Why there is no server.
  public var unreachable: SessionError?
  /// The address that was tried.
  public var address = ""
  /// The host name of the server's machine, if it is another one.
  public var serverHost: String?
  /// The server's process; nil if it is unknown.
  public var server: Program?
  /// The values that the server stores for streams.
  public var savedStreams: [SavedStream] = []
  /// The `PULSE_…` and `PIPEWIRE_…` variables of this process.
  public var variables: [String: String] = [:]
  /// The client's settings (`client.conf`); the last line of a key counts.
  public var clientSettings: [Line] = []
  /// PulseAudio's settings (`daemon.conf`).
  public var daemonSettings: [Line] = []
  /// PipeWire's settings (`pipewire.conf`).
  public var graphSettings: [Line] = []
  /// The `load-module` lines of PulseAudio's startup file (`default.pa`), by module.
  public var startup: [Line] = []
  /// The file for a setting that no file has yet, by the file's name.
  public var places: [String: String] = [:]
  /// The cookie's path and state; nil if none is needed.
  public var cookie: (path: String, state: Cookie)?
  /// The sockets of sound servers.
  public var sockets: [Socket] = []
  /// The processes that have a sound card open.
  public var cardUsers: [Program] = []
  /// Whether this process runs as root.
  public var isRoot = false
  /// The state of the session, with its mode.
  public var state: SessionState?
  /// The values that the session would restore.
  public var baseline = Baseline()
  /// Unreadable files of the session, with the reasons.
  public var damaged: [SessionError] = []
  /// The paths of the session's files.
  package var storeFiles: [StoreFiles.File: String] = [:]
  /// The results of recording the inputs; nil if nothing was recorded.
  public var heard: [Heard]?
  /// The inputs that could not be recorded.
  public var unheard: [String] = []

  /// Makes empty facts.
  public init() {}
}

extension [MachineFacts.Line] {
  /// The effective line for a key, which is the last one.
  public subscript(key: String) -> MachineFacts.Line? { last { $0.key == key } }
}
