import POSIX
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

@Suite("Buffers of exactly the asked frames")
struct FramerTests {
  /// Samples and gaps in any order, cut; every frame is in exactly one place.
  @Test("account for every frame", arguments: 0..<50)
  func accounting(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    let channels = Int.random(in: 1...3, using: &random)
    let length = Int.random(in: 1...100, using: &random)
    var framer = Framer(channels: channels, sampleRate: 1000, frameLength: length)
    var buffers: [CaptureBuffer] = []
    // What each position holds: a number, or nil where it is missing.
    var truth: [Float?] = []
    for _ in 0..<100 {
      let frames = Int.random(in: 0...250, using: &random)
      if Int.random(in: 0..<4, using: &random) == 0 {
        framer.skip(frames, .serverReset) { buffers.append($0) }
        truth += [Float?](repeating: nil, count: frames)
      } else {
        let samples = (0..<frames).flatMap { index in
          [Float](repeating: Float(truth.count + index + 1), count: channels)
        }
        samples.withUnsafeBufferPointer { samples in
          framer.append(samples, at: .milliseconds(truth.count)) { buffers.append($0) }
        }
        truth += (0..<frames).map { Float(truth.count + $0 + 1) }
      }
    }
    #expect(framer.position == truth.count)
    check(buffers, truth, channels, length)
  }

  private func check(
    _ buffers: [CaptureBuffer], _ truth: [Float?], _ channels: Int, _ length: Int
  ) {
    var end: Int64 = 0
    for buffer in buffers {
      #expect(buffer.frameLength == length)
      var missing: Set<Int64> = []
      for gap in buffer.missing {
        missing.formUnion(gap.position..<(gap.position + Int64(gap.frames)))
      }
      // Between the last buffer and this one everything is missing, and said to be.
      #expect((end..<buffer.position).allSatisfy { missing.contains($0) })
      for frame in 0..<length {
        let position = buffer.position + Int64(frame)
        let expected = truth[Int(position)]
        #expect(missing.contains(position) == (expected == nil))
        for channel in 0..<channels {
          #expect(buffer.samples[frame * channels + channel] == expected ?? 0)
        }
      }
      // A buffer's time is that of its first frame, as long as that is no silence.
      if truth[Int(buffer.position)] != nil {
        #expect(abs(buffer.hostTime.seconds - Double(buffer.position) / 1000) < 1e-6)
      }
      end = buffer.position + Int64(length)
    }
  }

  @Test("say where a source begins; where a slow reader missed that, in what is left")
  func source() async {
    for limit in [1, 2] {
      let queue = BufferQueue(limit: limit)
      var framer = Framer(channels: 1, sampleRate: 1000, frameLength: 10)
      let samples = [Float](repeating: 1, count: 20)
      framer.device = "one"
      samples[..<4].withUnsafeBufferPointer { framer.append($0, at: .zero, queue.add) }
      framer.device = "two"
      samples[4...].withUnsafeBufferPointer { framer.append($0, at: .zero, queue.add) }
      queue.finish()
      var inputs: [RecordedInput] = []
      while let buffer = await queue.next() { inputs += buffer.inputs }
      let one = RecordedInput(position: 0, device: "one")
      let two = RecordedInput(position: limit == 1 ? 10 : 4, device: "two")
      #expect(inputs == (limit == 1 ? [two] : [one, two]), "\(inputs)")
    }
  }

  @Test("say what a slow reader missed")
  func slowReader() async {
    let queue = BufferQueue(limit: 3)
    var framer = Framer(channels: 1, sampleRate: 1000, frameLength: 10)
    let samples = [Float](repeating: 1, count: 100)
    samples.withUnsafeBufferPointer { framer.append($0, at: .zero, queue.add) }
    framer.skip(25, .routeChange, queue.add)
    samples.withUnsafeBufferPointer { framer.append($0, at: .zero, queue.add) }
    queue.finish()
    var next: Int64 = 0
    var missing: [MissingFrames] = []
    while let buffer = await queue.next() {
      missing += buffer.missing
      next = buffer.position + 10
    }
    #expect(next == 225)
    #expect(missing == [MissingFrames(position: 0, frames: 195, cause: .slowConsumer)])
  }

  @Test("keep the zeros of a tap that had lost its source, and list them, also for a slow reader")
  func zeros() async {
    let (sound, zeros) = ([Float](repeating: 1, count: 12), [Float](repeating: 0, count: 36))
    for limit in [1, 10] {
      let queue = BufferQueue(limit: limit)
      var framer = Framer(channels: 2, sampleRate: 1000, frameLength: 10)
      for samples in [sound, zeros] {
        samples.withUnsafeBufferPointer { framer.append($0, at: .zero, queue.add) }
      }
      framer.listZeros(atMost: 100)
      framer.list(ZeroFrames(position: 1, frames: 2))
      framer.skip(4, .overrun, queue.add)
      sound.withUnsafeBufferPointer { framer.append($0, at: .zero, queue.add) }
      if let rest = framer.takeRest() { queue.add(rest) }
      queue.finish()
      var (silenced, listed): ([MissingFrames], [ZeroFrames]) = ([], [])
      while let buffer = await queue.next() {
        silenced += buffer.silenced
        listed += buffer.zeros
      }
      #expect(listed == [ZeroFrames(position: 1, frames: 2)])
      #expect(silenced == [MissingFrames(position: 6, frames: 18, cause: .overrun)])
    }
    // No more than asked for, none of another tap, and none behind sound.
    let starts: [Int: Int64] = [-1: 24, 0: 24, 4: 20, 100: 18]
    for (most, start) in starts {
      var framer = Framer(channels: 2, sampleRate: 1000, frameLength: 100)
      zeros.withUnsafeBufferPointer { framer.append($0, at: .zero) { _ in } }
      framer.beginTap()
      zeros[..<12].withUnsafeBufferPointer { framer.append($0, at: .zero) { _ in } }
      framer.listZeros(atMost: most)
      let listed = MissingFrames(position: start, frames: Int(24 - start), cause: .overrun)
      let rest = framer.takeRest()
      #expect(rest?.silenced == (start < 24 ? [listed] : []))
    }
  }

  @Test("lose nothing that came late and all at once; a reader that stays slow does lose again")
  func excused() async {
    let queue = BufferQueue(limit: 3)
    var framer = Framer(channels: 1, sampleRate: 1000, frameLength: 10)
    let samples = [Float](repeating: 1, count: 100)
    queue.beginExcuse()
    samples.withUnsafeBufferPointer { framer.append($0, at: .zero, queue.add) }
    queue.endExcuse()
    // While the reader catches up, sound comes that is not late.
    for _ in 0..<6 {
      #expect(await queue.next()?.missing == [])
      samples[..<10].withUnsafeBufferPointer { framer.append($0, at: .zero, queue.add) }
    }
    // Of the ten that are left seven are excused; with another one, the oldest is lost.
    samples[..<10].withUnsafeBufferPointer { framer.append($0, at: .zero, queue.add) }
    queue.finish()
    let missing = MissingFrames(position: 60, frames: 10, cause: .slowConsumer)
    #expect(await queue.next()?.missing == [missing])
    var last: CaptureBuffer?
    while let buffer = await queue.next() { last = buffer }
    #expect(last?.position == 160)
  }

  @Test("are given to a reader that was cancelled as far as they are there, and no more are added")
  func cancelledReader() async {
    let queue = BufferQueue(limit: 10)
    let ends = Guarded(0)
    let lease = BufferLease(queue) { ends.withLock { $0 += 1 } }
    var framer = Framer(channels: 1, sampleRate: 1000, frameLength: 10)
    let samples = [Float](repeating: 1, count: 30)
    samples.withUnsafeBufferPointer { framer.append($0, at: .zero, queue.add) }
    let read = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var count = 0
      while await lease.next() != nil {
        count += 1
        // The sound is faster than its reader.
        samples.withUnsafeBufferPointer { framer.append($0, at: .zero, queue.add) }
      }
      return count
    }.value
    #expect(read == 3)
    #expect(ends.withLock { $0 } == 1)
  }
}
