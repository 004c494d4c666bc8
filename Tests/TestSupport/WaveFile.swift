internal import POSIX

/// A short silent sound file of any shape, written byte by byte.
package struct WaveFile {
  package var channels: Int
  package var rate: Int
  package var frames: Int
  /// The speakers of the channels, as a mask; nil names none.
  package var mask: Int?
  /// A channel that is not silent.
  package var loud: Int?

  package init(channels: Int, rate: Int, frames: Int = 441, mask: Int? = nil, loud: Int? = nil) {
    (self.channels, self.rate, self.frames, self.mask, self.loud) = (
      channels, rate, frames, mask, loud
    )
  }

  package func write(to path: String) throws {
    var bytes: [UInt8] = []
    func number(_ value: Int, _ count: Int) {
      for byte in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
    }
    let data = frames * channels * 2
    bytes += Array("RIFF".utf8)
    number((mask == nil ? 36 : 60) + data, 4)
    bytes += Array("WAVEfmt ".utf8)
    number(mask == nil ? 16 : 40, 4)
    number(mask == nil ? 1 : 0xFFFE, 2)  // PCM, or WAVE_FORMAT_EXTENSIBLE
    number(channels, 2)
    number(rate, 4)
    number(rate * channels * 2, 4)
    number(channels * 2, 2)
    number(16, 2)
    if let mask {
      number(22, 2)
      number(16, 2)
      number(mask, 4)
      // KSDATAFORMAT_SUBTYPE_PCM
      bytes += [1, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    }
    bytes += Array("data".utf8)
    number(data, 4)
    let start = bytes.count
    bytes += [UInt8](repeating: 0, count: data)
    if let loud {
      // The upper byte of a sample: half of full scale, up and down.
      for frame in 0..<frames {
        bytes[start + (frame * channels + loud) * 2 + 1] = frame / 50 % 2 == 0 ? 0x40 : 0xC0
      }
    }
    try File.write(bytes, to: path)
  }
}
