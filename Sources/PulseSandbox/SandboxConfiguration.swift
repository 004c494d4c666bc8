public import PulseTypes

/// The modules of a private server, in order, and its settings.
public struct SandboxConfiguration: Sendable, Hashable {
  /// The kind of server.
  public var server: ServerKind

  /// The modules to load, in order, in the syntax after `load-module`: `module-null-sink
  /// sink_name=speakers rate=44100`. A value with spaces is quoted for the server,
  /// `sink_properties="device.description='Loud Speakers'"`; no shell parses the line. The native
  /// protocol is added at the end.
  ///
  /// The server chooses the defaults: among sinks by form factor, headphones before speakers before
  /// others, then the first; among sources the first that is not a monitor.
  ///
  /// On PipeWire, pipewire-pulse loads them, which has other modules: a microphone is
  /// `module-null-sink media.class=Audio/Source/Virtual sink_name=mic`.
  public var modules: [String]

  /// Devices in PipeWire itself, which outlive pipewire-pulse like hardware.
  var devices: [NullDevice] = []

  /// Simulated cards of PipeWire, each as words such as `kind=laptop`; on PulseAudio they are
  /// modules.
  var cards: [String] = []

  /// Lines of the server's command language to run after the modules, at each start of the server:
  /// `set-default-source usb_mic`, `update-source-proplist usb_mic device.form_factor=webcam`.
  /// PulseAudio only.
  public var commands: [String] = []

  /// The rate of devices that name none, in Hz; nil for the server's own (PulseAudio: 44100, PipeWire:
  /// 48000).
  public var defaultSampleRate: Int?

  /// The other rate a device may take, in Hz; nil for the server's own (PulseAudio: 48000, PipeWire:
  /// none). On PulseAudio a device whose rate equals this one cannot take any other.
  public var alternateSampleRate: Int?

  /// Whether a device may use a stream's rate that is neither of the two. PulseAudio only.
  public var avoidResampling = false

  /// Whether a client must have the cookie. The server's address is then a TCP port of 127.0.0.1,
  /// because over a Unix socket the server trusts a client of the same user without a cookie.
  /// PulseAudio only.
  public var cookieRequired = false

  /// Whether the server's audio threads use realtime priority and its other threads a better nice
  /// level, as on a desktop, if the system permits that to this process (root, or `RLIMIT_RTPRIO`
  /// and `RLIMIT_NICE`). Otherwise a busy machine wakes them late, and short buffers run empty.
  /// PulseAudio only.
  public var isRealtime = false

  /// Whether clients may load and unload modules; if not, requests that need one are refused
  /// (including ``PulseSandbox/plug(_:)`` of a device). PulseAudio only.
  public var allowsModuleLoading = true

  /// One line on what is missing without the simulated cards; nil if nothing is.
  public internal(set) var notice: String?

  /// Creates a configuration with these modules and the server's own settings.
  public init(modules: [String], server: ServerKind = .pulseaudio) {
    self.modules = modules
    self.server = server
  }

  /// Whether there are simulated cards, with profiles, ports and jacks.
  public var hasSimulatedCards: Bool {
    !cards.isEmpty
      || modules.contains { line in
        line.split(whereSeparator: \.isWhitespace).first?.hasSuffix("module-simulated-card.so")
          ?? false
      }
  }

  /// The server's `daemon.conf`.
  var daemonConfiguration: String {
    // As many files as this process may open; the server's own limit of 256 is enough for about 60
    // devices.
    var lines = ["avoid-resampling = \(avoidResampling ? "yes" : "no")", "rlimit-nofile = -1"]
    if !allowsModuleLoading { lines.append("allow-module-loading = no") }
    if let rate = defaultSampleRate { lines.append("default-sample-rate = \(rate)") }
    if let rate = alternateSampleRate { lines.append("alternate-sample-rate = \(rate)") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The processes of the sandbox, in the order in which they are started: hardware before the
  /// session manager.
  var processes: [ServerProcess] {
    let processes = ServerProcess.all(of: server)
    return cards.isEmpty ? processes : [processes[0], .simulatedCards] + processes.dropFirst()
  }

  /// The command line of one of the sandbox's processes.
  func command(
    of process: ServerProcess, program: String, folder: SandboxFolder, port: Int?
  ) -> [String] {
    if process == .simulatedCards {
      let node = SimulatedCard.pluginPath() == nil ? "" : " node=\(PipeWireFiles.node)"
      return ServerProgram.modesty + [program, folder.cards] + cards.map { $0 + node }
    }
    return (server == .pipewire ? ServerProgram.modesty : []) + ServerProgram.entrance + [program]
      + (process == .pulseaudio ? arguments(folder: folder, port: port) : [])
  }

  /// Refuses settings that the kind of server does not have.
  func validate() throws(SandboxError) {
    guard server == .pipewire else {
      guard let foreign = cards.isEmpty ? devices.isEmpty ? nil : "devices" : "cards" else {
        return
      }
      throw SandboxError(
        .configuration, "PulseAudio has nothing for '\(foreign)' of a sandbox's configuration",
        remedy: "name their modules in 'modules'")
    }
    let foreign = [
      ("commands", !commands.isEmpty), ("cookieRequired", cookieRequired),
      ("avoidResampling", avoidResampling), ("isRealtime", isRealtime),
      ("allowsModuleLoading", !allowsModuleLoading),
    ].first { $0.1 }?.0
    guard let foreign else { return }
    throw SandboxError(
      .configuration, "PipeWire has nothing for '\(foreign)' of a sandbox's configuration",
      remedy: "leave it out, or use PulseAudio")
  }

  /// PulseAudio's arguments; `port` is for an address with a cookie.
  func arguments(folder: SandboxFolder, port: Int?) -> [String] {
    var arguments = [
      "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--disallow-exit=no",
      "--realtime=\(isRealtime ? "yes" : "no")", "--high-priority=\(isRealtime ? "yes" : "no")",
      "--log-target=stderr",
    ]
    for module in modules { arguments += ["-L", module] }
    if !commands.isEmpty { arguments += ["-F", folder.setup] }
    if let port {
      arguments += [
        "-L",
        "module-native-protocol-tcp listen=127.0.0.1 port=\(port) auth-anonymous=0"
          + " auth-cookie-enabled=1 auth-cookie=\(folder.cookie)",
      ]
    }
    let access = port == nil ? "auth-anonymous=1 auth-cookie-enabled=0" : "auth-anonymous=0"
    return arguments + ["-L", "module-native-protocol-unix socket=\(folder.socket) \(access)"]
  }
}
