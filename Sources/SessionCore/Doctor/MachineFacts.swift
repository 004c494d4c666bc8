package import PulseTypes

/// The facts that `doctor` knows about a machine: the server and its environment.
///
/// A plain value, so that each rule is a function that a table can test.
package struct MachineFacts: Sendable {
  /// An effective line of a configuration file.
  package struct Line: Sendable, Hashable {
    /// The name before the `=`, or the module's name after `load-module`.
    package var key: String
    /// The rest of the line.
    package var value: String
    package var file: String
    /// The line's number, from 1.
    package var number: Int

    package init(_ key: String, _ value: String, file: String, number: Int) {
      self.key = key
      self.value = value
      self.file = file
      self.number = number
    }
  }

  /// A process.
  package struct Program: Sendable, Hashable, RunningProgram {
    /// The process id.
    package var pid: Int32
    /// The program's name, as in the process list.
    package var name: String
    /// The numbers of the sound cards that it has open.
    package var cards: Set<String> = []

    package init(pid: Int32, name: String) {
      self.pid = pid
      self.name = name
    }
  }

  /// A socket on which programs look for a sound server.
  package struct Socket: Sendable, Hashable {
    package var path: String
    /// The listening process; nil if it is unknown.
    package var program: Program?

    package init(_ path: String, _ program: Program?) {
      self.path = path
      self.program = program
    }
  }

  /// The state of the file with which a client authenticates itself.
  package enum Cookie: Sendable, Hashable {
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
  package struct Recording: Sendable, Hashable {
    /// A fault of the sound; channels are counted from 0.
    package enum Fault: Sendable, Hashable {
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
    package var device: String
    /// The faults; empty if there are none.
    package var faults: [Fault]

    package init(device: String, faults: [Fault]) {
      self.device = device
      self.faults = faults
    }
  }

  /// The server; nil if there is none.
  package var snapshot: ServerSnapshot?
  /// Why there is no server.
  package var unreachable: SessionError?
  /// The folder of the user's server, which the environment does not name, so that no client looks there;
  /// nil if it names it, or another server.
  package var unnamedRuntimeFolder: String?
  /// The address that was tried.
  package var address = ""
  /// The host name of the server's machine, if it is another one.
  package var serverHost: String?
  /// The server's address, if it is not the one that programs find by themselves.
  package var namedServer: String?
  /// The server's process; nil if it is unknown.
  package var server: Program?
  /// The values that the server stores for streams.
  package var savedStreams: [SavedStream] = []
  /// The `PULSE_…` and `PIPEWIRE_…` variables of this process.
  package var variables: [String: String] = [:]
  /// The client's settings (`client.conf`); the last line of a key counts.
  package var clientSettings: [Line] = []
  /// PulseAudio's settings (`daemon.conf`).
  package var daemonSettings: [Line] = []
  /// PipeWire's settings (`pipewire.conf`).
  package var graphSettings: [Line] = []
  /// The `load-module` lines of PulseAudio's startup file (`default.pa`, or `system.pa`), by module;
  /// empty with PipeWire, which does not read it.
  package var startup: [Line] = []
  /// The file for a setting that no file has yet, by the file's name.
  package var places: [String: String] = [:]
  /// The cookie's path and state; nil if none is needed.
  package var cookie: (path: String, state: Cookie)?
  /// The sockets of sound servers.
  package var sockets: [Socket] = []
  /// The processes that have a sound card open.
  package var cardUsers: [Program] = []
  /// Whether this process runs as root.
  package var isRoot = false
  package var state: SessionState?
  /// The process that held the session and ended without closing it; nil if there is none.
  package var killedHolder: Program?
  /// The process that holds or changes the session, if it is stopped (SIGSTOP, SIGTSTP).
  package var stoppedHolder: Program?
  /// Whether the mode in effect is unknown, because it could not be read.
  package var isModeUnknown = false
  /// The values that the session would restore.
  package var baseline = Baseline()
  /// Unreadable files of the session, with the reasons.
  package var damaged: [SessionError] = []
  /// Where the session's files cannot be written, and why; nil if they can.
  package var unwritable: (path: String, error: FileError)?
  /// The paths of the session's files.
  package var storeFiles: [StoreFiles.File: String] = [:]
  /// The results of recording the inputs; nil if nothing was recorded.
  package var recordings: [Recording]?
  /// The inputs that could not be recorded.
  package var unrecorded: [String] = []

  package init() {}

  /// PipeWire's own rate.
  var clockRate: String { graphSettings["default.clock.rate"]?.value ?? "48000" }

  /// The rates to which PipeWire switches, and the line that allows them. A list without PipeWire's own
  /// rate does not count.
  var allowedRates: (rates: [String], line: Line?) {
    let line = graphSettings["default.clock.allowed-rates"]
    let rates = line?.value.split { !$0.isNumber }.map(String.init) ?? []
    return rates.contains(clockRate) ? (rates, line) : ([clockRate], nil)
  }

  /// Whether the server is the one that programs of the user find by themselves.
  var isUsersServer: Bool {
    namedServer == nil && serverHost == nil && variables["PULSE_SERVER"] == nil
  }
}

extension [MachineFacts.Line] {
  /// The effective line for a key, which is the last one.
  package subscript(key: String) -> MachineFacts.Line? { last { $0.key == key } }
}
