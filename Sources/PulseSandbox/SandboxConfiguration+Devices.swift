public import PulseTypes

extension SandboxConfiguration {
  /// A laptop and a USB microphone, as simulated cards with profiles, ports and jacks if their
  /// module exists (``SimulatedCard``); otherwise ``nullDevices``, with a ``notice``, and with
  /// tones of -18 dBFS in the USB microphone, at 48000 Hz. The defaults are the USB microphone and
  /// the laptop's speakers (`headphones` of the null devices), which the server prefers.
  ///
  /// Includes the policy of a desktop: the server uses what is plugged in, stores volumes and
  /// defaults over a restart, and suspends idle devices.
  public static var demo: SandboxConfiguration { demo(on: .pulseaudio) }

  /// ``demo`` on a kind of server. On PipeWire, WirePlumber is the policy.
  public static func demo(on kind: ServerKind) -> SandboxConfiguration {
    if var cards = simulatedCards(["kind=laptop", "kind=usb-mic"], on: kind) {
      if kind == .pulseaudio { cards.modules = restoring + cards.modules + policy }
      return cards
    }
    var configuration = nullDevices(on: kind)
    guard kind == .pipewire else {
      configuration.modules = configuration.modules.flatMap { line in
        line.contains("source_name=\(usbMicrophone.name) ") ? usbMicrophone.toneModules : [line]
      }
      // 50 % are -18 dB, and the two sines have -6 dBFS each.
      configuration.commands.append("set-sink-volume \(usbMicrophone.name)_tone 32768")
      configuration.notice = """
        no simulated cards (module-simulated-card.so was not found): \
        the demo devices have no ports, no profiles and no jacks, and only the USB microphone has sound
        """
      return configuration
    }
    configuration.notice = """
      no simulated cards (pipewire/simulated-card was not found): \
      the demo devices have no ports, no profiles, no jacks and no sound
      """
    return configuration
  }

  /// Only simulated cards; nil if they are not built. On PulseAudio nothing is stored, moved or
  /// suspended.
  ///
  /// - Parameters:
  ///   - cards: Each card as words, such as `kind=usb-mic channels=4`; see README.md of
  ///     `Tests/SimulatedCard`.
  ///   - kind: The kind of server.
  public static func simulatedCards(
    _ cards: [String], on kind: ServerKind = .pulseaudio
  ) -> SandboxConfiguration? {
    guard kind == .pipewire else {
      // The first space in a module's line ends its name, so a path with a space cannot be loaded.
      guard let path = SimulatedCard.modulePath(), !path.contains(where: \.isWhitespace) else {
        return nil
      }
      return SandboxConfiguration(modules: cards.map { "\(path) \($0)" })
    }
    guard SimulatedCard.programPath() != nil else { return nil }
    var configuration = SandboxConfiguration(modules: [], server: kind)
    configuration.cards = cards
    return configuration
  }

  /// The devices of ``demo`` as null devices: sinks `speakers` and `headphones`, stereo sources
  /// `internal_mic` and `usb_mic`; `headphones` and `internal_mic` are the defaults. They have
  /// descriptions, form factors and icons, but no card, and so no profile, port or jack. A source's
  /// rate is fixed.
  public static var nullDevices: SandboxConfiguration {
    var configuration = devices(laptop)
    configuration.modules = restoring + configuration.modules + policy
    return configuration
  }

  /// ``nullDevices`` on a kind of server. On PipeWire a device's rate is the graph's, and can be
  /// any rate.
  public static func nullDevices(on kind: ServerKind) -> SandboxConfiguration {
    kind == .pulseaudio ? nullDevices : devices(laptop, on: kind)
  }

  /// Only a stereo null sink, `speakers`, and a stereo null source, `mic`; on PulseAudio nothing is
  /// stored, moved or suspended.
  public static var minimal: SandboxConfiguration { minimal(on: .pulseaudio) }

  /// ``minimal`` on a kind of server.
  public static func minimal(on kind: ServerKind) -> SandboxConfiguration {
    devices([speakers, NullDevice(.input, "mic", "Microphone")], on: kind)
  }

  /// Only a null sink, `speakers`: the only source is its monitor.
  public static var monitorOnly: SandboxConfiguration { monitorOnly(on: .pulseaudio) }

  /// ``monitorOnly`` on a kind of server.
  public static func monitorOnly(on kind: ServerKind) -> SandboxConfiguration {
    devices([speakers], on: kind)
  }

  /// No device: the names of the default devices are null.
  public static var empty: SandboxConfiguration { SandboxConfiguration(modules: []) }

  /// ``empty`` on a kind of server.
  public static func empty(on kind: ServerKind) -> SandboxConfiguration { devices([], on: kind) }

  private static let speakers = NullDevice(
    .output, "speakers", "Built-in Speakers", form: "speaker", icon: "audio-speakers")

  private static let laptop = [
    speakers,
    NullDevice(
      .output, "headphones", "Headphones", form: "headphone", icon: "audio-headphones",
      priority: 1100),
    NullDevice(.input, "internal_mic", "Built-in Microphone", form: "internal", priority: 2100),
    usbMicrophone,
  ]

  private static let usbMicrophone = NullDevice(
    .input, "usb_mic", "USB Microphone", form: "microphone", bus: "usb", priority: 2000)

  private static func devices(
    _ devices: [NullDevice], on kind: ServerKind = .pulseaudio
  ) -> SandboxConfiguration {
    guard kind == .pipewire else {
      var configuration = SandboxConfiguration(modules: devices.map(\.pulseModule))
      configuration.commands = devices.compactMap(\.pulseCommand)
      return configuration
    }
    var configuration = SandboxConfiguration(modules: [], server: kind)
    configuration.devices = devices
    return configuration
  }

  /// The modules of a desktop that store values; to be loaded before the devices.
  private static let restoring = [
    "module-device-restore", "module-stream-restore", "module-card-restore",
    "module-default-device-restore", "module-switch-on-port-available",
  ]

  /// The modules of a desktop that act on streams; to be loaded after the devices.
  private static let policy = [
    "module-intended-roles", "module-suspend-on-idle", "module-role-cork",
    "module-filter-heuristics", "module-filter-apply",
  ]
}
