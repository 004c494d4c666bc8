package import PulseTypes

/// The kind of a port for users, like AVAudioSession's port types; raw values are those of files.
public enum PortType: String, Sendable, Hashable, Codable, CaseIterable {
  case builtInMic = "built-in-mic"
  case headsetMic = "headset-mic"
  case mic
  case lineIn = "line-in"
  case usbAudio = "usb-audio"
  case bluetoothHFP = "bluetooth-hfp"
  case bluetoothA2DP = "bluetooth-a2dp"
  case headphones, speaker, hdmi
  case lineOut = "line-out"
}

extension PortType {
  /// The types of a port, the most specific first.
  ///
  /// Derived from PulseAudio's port type, the device's bus and its form factor: a microphone on USB
  /// is `usb-audio` and `mic`; an internal one is `built-in-mic` and `mic`. A device of an internal
  /// card (its form factor is `internal`) may be a jack, so it has no type where it has no port.
  package static func types(
    of port: DevicePort?, direction: Direction, properties: [String: String], name: String
  ) -> [PortType] {
    let bus = properties["device.bus"] ?? ""
    if bus == "bluetooth" || name.hasPrefix("bluez") {
      let profile = properties[Card.bluetoothProfileKey] ?? name
      let handsFree = direction == .input || !profile.has("a2dp")
      return handsFree ? [.bluetoothHFP] : [.bluetoothA2DP]
    }
    var types: [PortType] = bus == "usb" ? [.usbAudio] : []
    let form = properties["device.form_factor"] ?? ""
    types += direction == .input ? inputs(port, form) : outputs(port, form)
    return types
  }

  private static func inputs(_ port: DevicePort?, _ form: String) -> [PortType] {
    guard let port else {
      return switch form {
      case "headset", "handset", "hands-free": [.headsetMic, .mic]
      case "microphone", "webcam": [.mic]
      default: []
      }
    }
    switch port.kind {
    case .headset, .handset, .handsfree: return [.headsetMic, .mic]
    case .line, .aux, .radio, .video, .tv: return [.lineIn]
    case .mic:
      // The front, rear and dock microphones of an internal card are jacks.
      let isInternal = port.name.has("internal") || port.description.has("Internal")
      return isInternal ? [.builtInMic, .mic] : [.mic]
    default:
      if port.name.has("headset") { return [.headsetMic, .mic] }
      if port.name.has("mic") { return [.mic] }
      // PulseAudio gives some inputs of AC97 no type.
      let isLine = ["aux", "line", "video", "radio"].contains { port.name.has($0) }
      return isLine ? [.lineIn] : []
    }
  }

  private static func outputs(_ port: DevicePort?, _ form: String) -> [PortType] {
    guard let port else {
      return switch form {
      case "headset", "headphone", "hands-free": [.headphones]
      case "speaker", "portable", "hifi", "computer": [.speaker]
      case "tv": [.hdmi]
      default: []
      }
    }
    return switch port.kind {
    case .headphones, .headset, .handset, .earpiece: [.headphones]
    case .speaker, .portable, .hifi, .car: [.speaker]
    case .hdmi, .tv, .video: [.hdmi]
    case .line, .spdif, .aux: [.lineOut]
    default:
      if port.name.has("headphone") {
        [.headphones]
      } else {
        port.name.has("speaker") ? [.speaker] : []
      }
    }
  }
}
