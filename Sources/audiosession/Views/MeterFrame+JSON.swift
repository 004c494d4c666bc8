import AudioStreams

extension MeterFrame: Encodable {
  private enum Key: String, CodingKey { case seconds, device, sampleRate, levels, bands }

  func encode(to encoder: any Encoder) throws {
    let levels = zip(names, readings).map { name, reading in
      LevelItem(
        channel: name, peak: reading.peak, rms: reading.rms, hold: reading.hold,
        clipping: reading.isClipping)
    }
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(device, forKey: .device)
    try values.encode(seconds, forKey: .seconds)
    try values.encode(sampleRate, forKey: .sampleRate)
    try values.encode(levels, forKey: .levels)
    try values.encodeIfPresent(bands, forKey: .bands)
  }
}

private struct LevelItem: Encodable {
  let channel: String
  let peak: Double
  let rms: Double
  let hold: Double
  let clipping: Bool
}
