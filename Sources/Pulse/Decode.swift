internal import CPulse
package import PulseTypes

/// libpulse's value for "no index" (libpulse: `PA_INVALID_INDEX`).
let invalidIndex = UInt32.max

/// A string of the server; repairs invalid UTF-8, and is nil for NULL.
func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }

extension Index {
  /// The index, or nil for `PA_INVALID_INDEX`.
  init?(valid rawValue: UInt32) {
    guard rawValue != invalidIndex else { return nil }
    self.init(rawValue)
  }
}

/// A property list, without values that are not text (such as an icon's pixels).
func properties(_ list: OpaquePointer?) -> [String: String] {
  guard let list else { return [:] }
  var result = [String: String](minimumCapacity: Int(pa_proplist_size(list)))
  var cursor: UnsafeMutableRawPointer?
  while let key = pa_proplist_iterate(list, &cursor) {
    var data: UnsafeRawPointer?
    var count = 0
    guard pa_proplist_get(list, key, &data, &count) == 0, let data, count > 0 else { continue }
    let bytes = UnsafeRawBufferPointer(start: data, count: count - 1)
    // A text has its only NUL at the end; `pa_proplist_gets` would refuse invalid UTF-8.
    guard data.load(fromByteOffset: count - 1, as: UInt8.self) == 0, !bytes.contains(0) else {
      continue
    }
    result[String(cString: key)] = String(decoding: bytes, as: UTF8.self)
  }
  return result
}

/// The entries of a C array of pointers, which may be NULL or end early.
func entries<Info>(
  _ array: UnsafeMutablePointer<UnsafeMutablePointer<Info>?>?, _ count: UInt32
) -> [Info] {
  guard let array else { return [] }
  return (0..<Int(count)).compactMap { array[$0]?.pointee }
}

/// An array in a C struct, which Swift imports as a tuple.
private func elements<Tuple, Element>(of tuple: Tuple, count: UInt8, _: Element.Type) -> [Element] {
  withUnsafeBytes(of: tuple) { Array($0.bindMemory(to: Element.self).prefix(Int(count))) }
}

extension SampleFormat {
  /// By libpulse's number; its names are the raw values, so no number is repeated here.
  private static let byNumber = (0..<pa_sample_format_t.RawValue(PA_SAMPLE_MAX.rawValue)).map {
    text(pa_sample_format_to_string(pa_sample_format_t($0))).flatMap(SampleFormat.init)
  }

  fileprivate init?(_ format: pa_sample_format_t) {
    guard Self.byNumber.indices.contains(Int(format.rawValue)),
      let known = Self.byNumber[Int(format.rawValue)]
    else { return nil }
    self = known
  }
}

extension SampleSpec {
  init(_ spec: pa_sample_spec) {
    self.init(format: SampleFormat(spec.format), rate: spec.rate, channels: spec.channels)
  }

  /// libpulse's value; nil for an unknown format, a rate of 0 or above 384,000 Hz, or a channel
  /// count outside 1 to 32: libpulse aborts the program over an invalid spec.
  var native: pa_sample_spec? {
    guard let format else { return nil }
    let number = pa_parse_sample_format(format.rawValue)
    var spec = pa_sample_spec(format: number, rate: rate, channels: channels)
    return pa_sample_spec_valid(&spec) != 0 ? spec : nil
  }
}

extension ChannelPosition {
  /// By libpulse's number; its names are the raw values.
  private static let byNumber = (0..<Int32(PA_CHANNEL_POSITION_MAX.rawValue)).map {
    text(pa_channel_position_to_string(pa_channel_position_t($0))).flatMap(ChannelPosition.init)
  }

  /// An unknown number is mono.
  package init(number: Int) {
    let known = Self.byNumber.indices.contains(number) ? Self.byNumber[number] : nil
    self = known ?? .mono
  }
}

extension ChannelMap {
  init(_ map: pa_channel_map) {
    let numbers = elements(
      of: map.map, count: map.channels, pa_channel_position_t.RawValue.self)
    self.init(numbers.map { ChannelPosition(number: Int($0)) })
  }

  /// libpulse's value; nil if the map is too long, or libpulse lacks a position.
  var native: pa_channel_map? {
    var map = pa_channel_map()
    return pa_channel_map_parse(&map, description) == nil ? nil : map
  }
}

extension ChannelVolumes {
  init(_ volume: pa_cvolume) {
    self.init(elements(of: volume.values, count: volume.channels, UInt32.self).map(Volume.init))
  }

  /// libpulse's value; too many channels become none, which libpulse rejects.
  var native: pa_cvolume {
    var volume = pa_cvolume()
    pa_cvolume_init(&volume)
    withUnsafeMutableBytes(of: &volume.values) { bytes in
      let slots = bytes.bindMemory(to: UInt32.self)
      guard values.count <= slots.count else { return }
      volume.channels = UInt8(values.count)
      for (slot, value) in values.enumerated() { slots[slot] = value.rawValue }
    }
    return volume
  }
}
