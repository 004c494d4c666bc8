/// The files that PipeWire's programs read at their start, in addition to the machine's settings.
///
/// No bus and no hardware: WirePlumber's monitors are off, in the syntax of versions 0.4 and 0.5.
struct PipeWireFiles {
  let configuration: SandboxConfiguration
  let socket: String

  /// The files' texts, by their paths in the folder of settings.
  var all: [(path: String, text: String)] {
    [
      ("pipewire/pipewire.conf.d/sandbox.conf", daemon),
      ("pipewire/pipewire-pulse.conf.d/sandbox.conf", pulse),
      ("wireplumber/main.lua.d/51-sandbox.lua", Self.monitors),
      ("wireplumber/bluetooth.lua.d/51-sandbox.lua", "bluez_monitor.enabled = false\n"),
      ("wireplumber/wireplumber.conf.d/51-sandbox.conf", Self.features),
    ]
  }

  private var daemon: String {
    var properties = ["support.dbus = false"]
    let alternate = configuration.alternateSampleRate
    if configuration.defaultSampleRate != nil || alternate != nil {
      // PipeWire's own.
      let rate = configuration.defaultSampleRate ?? 48000
      properties.append("default.clock.rate = \(rate)")
      let rates = [rate, alternate ?? rate].map(String.init)
      properties.append("default.clock.allowed-rates = [ \(rates.joined(separator: " ")) ]")
    }
    return """
      context.properties = {
        \(properties.joined(separator: "\n  "))
      }
      context.objects = [
        \(configuration.devices.map(\.pipewireObject).joined(separator: "\n  "))
      ]
      \(plugins)

      """
  }

  /// The name of the factory from which simulated cards make their devices, in the server.
  static let node = "simulated.node"

  /// A plugin's path is relative to PipeWire's folder of plugins, so it starts by going up to the
  /// root.
  private var plugins: String {
    guard !configuration.cards.isEmpty, let path = SimulatedCard.pluginPath() else { return "" }
    let up = String(repeating: "/..", count: 16).dropFirst()
    return "context.spa-libs = { \(Self.node) = \"\(up)\(path.dropLast(".so".count))\" }"
  }

  private var pulse: String {
    let commands = configuration.modules.map { line in
      "{ cmd = load-module args = \(Self.quoted(line)) }"
    }
    return """
      context.properties = { support.dbus = false }
      pulse.properties = { server.address = [ "unix:\(socket)" ] }
      pulse.cmd = [
        \(commands.joined(separator: "\n  "))
      ]

      """
  }

  private static func quoted(_ text: String) -> String {
    let escaped = text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
    return "\"\(escaped)\""
  }

  private static let monitors = """
    alsa_monitor.enabled = false
    v4l2_monitor.enabled = false
    libcamera_monitor.enabled = false
    default_access.properties["enable-flatpak-portal"] = false

    """

  private static let features = """
    wireplumber.profiles = {
      main = {
        monitor.alsa = disabled
        monitor.alsa-midi = disabled
        monitor.bluez = disabled
        monitor.bluez-midi = disabled
        monitor.libcamera = disabled
        monitor.v4l2 = disabled
        support.logind = disabled
        support.portal-permissionstore = disabled
        support.reserve-device = disabled
      }
    }

    """
}
