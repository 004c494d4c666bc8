import AudioStreams

extension MeterFrame: Encodable {
  private enum Key: String, CodingKey { case seconds, device, sampleRate, levels, bands }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(device, forKey: .device)
    try values.encode(seconds, forKey: .seconds)
    try values.encode(sampleRate, forKey: .sampleRate)
    try values.encode(zip(names, readings).map(LevelItem.init), forKey: .levels)
    try values.encodeIfPresent(bands?.map(BandItem.init), forKey: .bands)
  }
}

private struct LevelItem: Encodable {
  let channel: String
  let peak: Double
  let rms: Double
  let hold: Double
  let clipping: Bool

  init(_ name: String, _ reading: LevelMeter.Reading) {
    channel = name
    peak = reading.peak
    rms = reading.rms
    hold = reading.hold
    clipping = reading.isClipping
  }
}

private struct BandItem: Encodable {
  let from: Double
  let to: Double
  let amplitude: Double

  init(_ band: Spectrum.Band) {
    from = band.from
    to = band.to
    amplitude = band.amplitude
  }
}
