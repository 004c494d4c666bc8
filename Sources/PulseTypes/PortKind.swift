/// The kind of a port (libpulse: `pa_device_port_type_t`).
public enum PortKind: UInt32, Sendable, Hashable, Codable, CaseIterable {
  case unknown = 0
  case aux, speaker, headphones, line, mic, headset, handset, earpiece, spdif, hdmi, tv, radio
  case video, usb, bluetooth, portable, handsfree, car, hifi, phone, network, analog
}
