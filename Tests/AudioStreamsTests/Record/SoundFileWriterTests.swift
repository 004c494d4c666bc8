import POSIX
import TestSupport
import Testing

@testable import AudioStreams

@Suite("A sound file, buffer by buffer", .soundFiles)
struct SoundFileWriterTests {
  private static func buffer(
    _ samples: [Float], at position: Int64, missing: [MissingFrames] = [], rate: Int = 8000,
    channels: Int = 2
  ) -> CaptureBuffer {
    CaptureBuffer(
      samples: samples, channels: channels, sampleRate: rate, position: position, hostTime: .zero,
      device: nil, missing: missing)
  }

  @Test("a channel that a buffer does not have has no level")
  func levels() {
    let buffer = Self.buffer([0.5, 0.25, 0.5, 0.25], at: 0)
    #expect(buffer.levels(channel: 1).peak == 0.25)
    for channel in [-1, 2, 5] { #expect(buffer.levels(channel: channel) == (0, 0)) }
  }

  @Test("has silence where frames are missing, and the format of its suffix")
  func buffers() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/a.flac"
    let writer = try SoundFileWriter(path: path, sampleRate: 8000, channels: 2)
    #expect(writer.format == .flac16)
    #expect(RecordingFormat(path: "A.FLAC") == .flac16)
    try writer.write(Self.buffer([0.5, -0.5], at: 0))
    let gaps = [
      MissingFrames(position: 1, frames: 2, cause: .overrun),
      MissingFrames(position: 4, frames: 1, cause: .overrun),
    ]
    // The second gap is inside the buffer, which has its silence.
    try writer.write(Self.buffer([0.25, 0.25, 0, 0], at: 3, missing: gaps))
    try writer.write([0.125, 0.125])
    #expect(writer.frames == 6)
    try writer.close()
    try writer.close()
    let read = try SoundFileReader(path: path).read(frames: 10)
    #expect(read == [0.5, -0.5, 0, 0, 0, 0, 0.25, 0.25, 0, 0, 0.125, 0.125])
  }

  @Test("what is no number is silence, in every format", arguments: RecordingFormat.allCases)
  func noNumbers(_ format: RecordingFormat) throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/a"
    let writer = try SoundFileWriter(path: path, format: format, sampleRate: 8000, channels: 1)
    try writer.write([0.5, .nan, -.nan, 0.5])
    try writer.write([Float](repeating: 0.25, count: 9000))
    try writer.close()
    let reader = try SoundFileReader(path: path)
    let samples = try reader.read(frames: 5)
    #expect(zip(samples, [0.5, 0, 0, 0.5, 0.25]).allSatisfy { abs($0 - $1) < 0.001 }, "\(samples)")
    #expect(reader.frames == 9004)
  }

  @Test("a rate that FLAC cannot have leaves the earlier recording as it is")
  func oddRate() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/a.flac"
    folder.write("former", to: "a.flac")
    let error = #expect(throws: StreamError.self) {
      try SoundFileWriter(path: path, sampleRate: 96_001, channels: 1)
    }
    #expect(error?.code == .invalidFormat)
    #expect(File.text(path) == "former")
    #expect(throws: Never.self) {
      try SoundFileWriter(path: path, sampleRate: 96_010, channels: 1).close()
    }
  }

  @Test("a file without sound is a file of its format", arguments: RecordingFormat.allCases)
  func empty(_ format: RecordingFormat) throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/a"
    for isClosed in [true, false] {
      do {
        let writer = try SoundFileWriter(path: path, format: format, sampleRate: 48000, channels: 2)
        if isClosed { try writer.close() }
      }
      let reader = try SoundFileReader(path: path)
      #expect(reader.frames == 0 && reader.sampleRate == 48000 && reader.channels == 2)
    }
  }

  @Test("refuses what does not fit, and what comes after its end")
  func refuses() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/a.wav"
    func code(_ body: () throws(StreamError) -> Void) -> StreamError.Code? {
      do throws(StreamError) {
        try body()
        return nil
      } catch {
        return error.code
      }
    }
    for (rate, channels) in [(0, 2), (-1, 2), (655_351, 2), (8000, 0), (8000, 33), (.max, .max)] {
      #expect(
        code { () throws(StreamError) in
          _ = try SoundFileWriter(path: path, sampleRate: rate, channels: channels)
        } == .invalidFormat)
    }
    let writer = try SoundFileWriter(path: path, sampleRate: 8000, channels: 2)
    #expect(code { () throws(StreamError) in try writer.write([0, 0, 0]) } == .invalidValue)
    for other in [Self.buffer([0, 0], at: 0, rate: 16000), Self.buffer([0], at: 0, channels: 1)] {
      #expect(code { () throws(StreamError) in try writer.write(other) } == .invalidFormat)
    }
    #expect(writer.frames == 0)
    try writer.close()
    #expect(code { () throws(StreamError) in try writer.write([0, 0]) } == .fileFailed)
    #expect(code { () throws(StreamError) in try writer.checkpoint() } == nil)
    #expect(
      code { () throws(StreamError) in
        _ = try SoundFileWriter(path: folder.path + "/no/a.wav", sampleRate: 8000, channels: 1)
      } == .fileFailed)
  }
}
