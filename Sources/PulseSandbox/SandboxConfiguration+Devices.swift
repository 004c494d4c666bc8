extension SandboxConfiguration {
  /// A laptop and a USB microphone, as simulated cards with profiles, ports and jacks where the
  /// module for them is found (``SimulatedCard``); else ``nullDevices``, with a ``notice``. The
  /// defaults are the laptop's speakers and the USB microphone, which the server prefers.
  ///
  /// The policy of a desktop is loaded as well: what is plugged in is used, volumes and defaults
  /// are remembered over a restart, idle devices are suspended.
  public static var demo: SandboxConfiguration {
    // The first space in a module's line ends its name, so a path with one cannot be loaded.
    guard let path = SimulatedCard.modulePath(), !path.contains(where: \.isWhitespace) else {
      var configuration = nullDevices
      configuration.notice = """
        no simulated cards (module-simulated-card.so was not found): \
        the demo devices have no ports, no profiles and no jacks
        """
      return configuration
    }
    return SandboxConfiguration(
      modules: restoring + ["\(path) kind=laptop", "\(path) kind=usb-mic"] + policy)
  }

  /// The devices of ``demo`` as null devices: sinks `speakers` and `headphones`, stereo sources
  /// `internal_mic` and `usb_mic`; `headphones` and `internal_mic` are the defaults. They have
  /// descriptions, form factors and icons, but no card: no profile, no port, no jack. A source's
  /// rate is fixed.
  public static var nullDevices: SandboxConfiguration {
    var configuration = SandboxConfiguration(
      modules: restoring + [
        sink("speakers", "Built-in Speakers", form: "speaker", icon: "audio-speakers"),
        sink("headphones", "Headphones", form: "headphone", icon: "audio-headphones"),
        source("internal_mic", "Built-in Microphone"),
        source("usb_mic", "USB Microphone"),
      ] + policy)
    // The module takes no properties; a client's view is the same.
    configuration.commands = [
      "update-source-proplist internal_mic device.form_factor=internal",
      "update-source-proplist usb_mic device.form_factor=microphone device.bus=usb",
    ]
    return configuration
  }

  /// One stereo null sink, `speakers`, and one stereo null source, `mic`; nothing else: nothing is
  /// remembered, moved or suspended.
  public static var minimal: SandboxConfiguration {
    SandboxConfiguration(modules: [
      sink("speakers", "Speakers", form: "speaker", icon: "audio-speakers"),
      source("mic", "Microphone"),
    ])
  }

  /// One null sink, `speakers`: the only source is its monitor.
  public static var monitorOnly: SandboxConfiguration {
    SandboxConfiguration(modules: [
      sink("speakers", "Speakers", form: "speaker", icon: "audio-speakers")
    ])
  }

  /// No device at all: the names of the default devices are null.
  public static var empty: SandboxConfiguration { SandboxConfiguration(modules: []) }

  /// The modules of a desktop that remember; to be loaded before the devices.
  private static let restoring = [
    "module-device-restore", "module-stream-restore", "module-card-restore",
    "module-default-device-restore", "module-switch-on-port-available",
  ]

  /// The modules of a desktop that act on streams; to be loaded after the devices.
  private static let policy = [
    "module-intended-roles", "module-suspend-on-idle", "module-role-cork",
    "module-filter-heuristics", "module-filter-apply",
  ]

  /// At 44100 Hz, which is not the alternate rate: so the rate can switch.
  private static func sink(
    _ name: String, _ description: String, form: String, icon: String
  ) -> String {
    "module-null-sink sink_name=\(name) rate=44100 channels=2 channel_map=front-left,front-right"
      + " sink_properties=\"device.description='\(description)' device.form_factor=\(form)"
      + " device.icon_name=\(icon)\""
  }

  private static func source(_ name: String, _ description: String) -> String {
    "module-null-source source_name=\(name) rate=44100 channels=2"
      + " channel_map=front-left,front-right description=\"\(description)\""
  }
}
