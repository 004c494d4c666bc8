import Glibc

/// One volume in the server's own unit, where 65,536 is 100 % (libpulse: `pa_volume_t`).
///
/// Compared in this unit, never as a fraction: a volume read back equals the one written.
public struct Volume: RawRepresentable, Sendable, Hashable, Codable, Comparable,
  CustomStringConvertible
{
  /// The server's value, 0 (silent) to `maximum`.
  public var rawValue: UInt32

  /// Wraps a value of the server.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// 100 %, 0 dB (libpulse: `PA_VOLUME_NORM`).
  public static let norm = Volume(rawValue: 0x10000)
  /// Silence (libpulse: `PA_VOLUME_MUTED`).
  public static let muted = Volume(rawValue: 0)
  /// The greatest volume that a server accepts (libpulse: `PA_VOLUME_MAX`).
  public static let maximum = Volume(rawValue: UInt32.max / 2)

  /// A volume as a fraction of 100 %, rounded down to the server's unit as `pactl` does, so that a
  /// volume that was set as 60 % is saved as 60 %.
  ///
  /// 1.0 = 100 %, as in the JSON; out of range values are clamped.
  public init(fraction: Double) {
    // A volume that was written with six decimals of a percent reads back as itself.
    self.init(units: (fraction * Double(Volume.norm.rawValue) + 1e-3).rounded(.down))
  }

  /// A volume in decibels; 0 dB = 100 % (libpulse: `pa_sw_volume_from_dB`).
  public init(decibels: Double) {
    self.init(units: (cbrt(pow(10, decibels / 20)) * Double(Volume.norm.rawValue)).rounded())
  }

  private init(units: Double) {
    rawValue = min(UInt32(saturating: units), Volume.maximum.rawValue)
  }

  /// The volume as a fraction; 1.0 is 100 %.
  public var fraction: Double { Double(rawValue) / Double(Volume.norm.rawValue) }

  /// Decibels, minus infinity when silent (libpulse: `pa_sw_volume_to_dB`).
  public var decibels: Double {
    rawValue == 0 ? -.infinity : 20 * log10(pow(fraction, 3))
  }

  /// Orders by loudness.
  public static func < (a: Volume, b: Volume) -> Bool { a.rawValue < b.rawValue }

  /// The volume in percent, with tenths unless they are 0: `80 %`, `80.4 %`.
  public var description: String {
    let tenths = Int(saturating: fraction * 1000)
    return "\(tenths / 10)\(tenths % 10 == 0 ? "" : ".\(tenths % 10)") %"
  }
}
