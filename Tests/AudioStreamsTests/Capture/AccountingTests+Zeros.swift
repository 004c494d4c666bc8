import CPulseStream
import Glibc
import POSIX
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

extension AccountingTests {
  @Test("zeros at a discontinuity are neither lost nor from the begin of time")
  func zerosFirst() async {
    var configuration = CaptureConfiguration(frameLength: 160)
    configuration.includesRest = true
    let tone = [Float](repeating: 0.25, count: 320)
    let zeros = [Float](repeating: 0, count: 256)
    for isAllZeros in [false, true] {
      var input = Input(configuration, rate: 16000, seed: 1)
      input.tap(losesSilently: true)
      let begin = input.now
      for number in 0..<20 { input.hear(tone, isNew: number == 0) }
      // The stream was moved; then the tap is opened anew.
      input.hear(zeros, isNew: true)
      if !isAllZeros { for _ in 0..<20 { input.hear(tone) } }
      input.tap(losesSilently: true)
      for number in 0..<20 { input.hear(tone, isNew: number == 0) }
      let clock = Double(input.now - begin) / 1e9
      let (frames, missing) = await input.finish()
      #expect(abs(Double(frames) / 16000 - clock) < 0.03, "\(frames) frames in \(clock) s")
      // After a gap they belong to it, where sound follows.
      #expect(missing == (isAllZeros ? 0 : 256), "\(missing)")
    }
  }

  @Test("long zeros amid sound are in the buffers, and listed once nothing explains them")
  func longZeros() async {
    var configuration = CaptureConfiguration(frameLength: 160)
    configuration.includesRest = true
    let tone = [Float](repeating: 0.25, count: 320)
    let zeros = [Float](repeating: 0, count: 320)
    var input = Input(configuration, rate: 16000, seed: 1)
    let report = input.pipeline.report
    input.tap(losesSilently: true)
    let begin = input.now
    for number in 0..<100 { input.hear(tone, isNew: number == 0) }
    for _ in 0..<50 { input.hear(zeros) }
    #expect(report.takeFound().isEmpty)
    input.hear(tone)
    let found = report.takeFound()
    #expect(found.map(\.zeros) == [ZeroFrames(position: 32000, frames: 16000)])
    let began = found.first.map { Double($0.began - begin) / 1e9 } ?? 0
    #expect(abs(began - 2) < 0.001, "\(began)")
    #expect(report.takeFound().isEmpty)
    // With a gap amid them it is not known what they are.
    for number in 0..<50 { input.hear(zeros, isNew: number == 20) }
    for _ in 0..<50 { input.hear(tone) }
    #expect(report.takeFound().isEmpty)
    for zeros in found {
      // Those of another tap, and those that a report explains.
      let former = FoundZeros(zeros: zeros.zeros, began: zeros.began, moves: zeros.moves - 1)
      let explained = FoundZeros(zeros: zeros.zeros, began: 0, moves: zeros.moves)
      for other in [former, explained] { report.note(other) }
      #expect(report.unjudged == found + [former, explained])
      report.judge(former, isExplained: false)
      report.judge(explained, isExplained: true)
      // Once, although it is asked at the end, too.
      for _ in 1...2 { report.judge(zeros, isExplained: false) }
      #expect(report.unjudged.isEmpty)
    }
    let clock = Double(input.now - begin) / 1e9
    input.pipeline.finish(isAway: false, at: 0)
    var (listed, end): ([ZeroFrames], Int64) = ([], 0)
    while let buffer = await input.queue.next() {
      listed += buffer.zeros
      end = buffer.position + Int64(buffer.frameLength)
    }
    #expect(listed == found.map(\.zeros))
    #expect(abs(Double(end) / 16000 - clock) < 0.03, "\(end) frames in \(clock) s")
  }

  @Test("the place of zeros is that in the buffers, also while the converter has some of them")
  func placeOfZeros() {
    var stretch = Stretch(rate: 48000, fragment: 20_000_000)
    stretch.add(72000, until: 2_000_000_000)
    // 10 ms have not come out yet, and a second came before this stretch.
    stretch.framesOut = 24000 - 160
    #expect(
      stretch.place(ofLast: 24000, atRate: 16000, end: 16000 + stretch.framesOut)
        == ZeroFrames(position: 32000, frames: 8000))
  }

  @Test("a gap behind zeros of lost cycles is told once")
  func zerosBeforeGap() async {
    var configuration = CaptureConfiguration(frameLength: 160)
    configuration.includesRest = true
    let tone = [Float](repeating: 0.25, count: 320)
    let halved = [Float](repeating: 0.25, count: 64) + [Float](repeating: 0, count: 256)
    var input = Input(configuration, rate: 16000, seed: 1)
    input.tap(losesSilently: true)
    let begin = input.now
    for number in 0..<100 { input.hear(tone, isNew: number == 0) }
    input.hear(halved)
    input.now += 200_000_000
    for number in 0..<300 { input.hear(tone, isNew: number == 0) }
    let clock = Double(input.now - begin) / 1e9
    let (frames, missing) = await input.finish()
    #expect(abs(Double(frames) / 16000 - clock) < 0.03, "\(frames) frames in \(clock) s")
    #expect(abs(missing - 256 - 3200) < 400, "\(missing)")
  }

  @Test("zeros of a tap that had lost its source are listed up to its end, but no earlier ones")
  func listedZeros() async {
    var configuration = CaptureConfiguration(frameLength: 160)
    configuration.includesRest = true
    var input = Input(configuration, rate: 16000, seed: 1)
    let tone = [Float](repeating: 0.25, count: 320)
    let zeros = [Float](repeating: 0, count: 320)
    for (number, sound) in [tone, zeros, zeros].enumerated() {
      // The second silence is another tap's.
      if number != 1 { input.tap(losesSilently: true) }
      for piece in 0..<50 { input.hear(sound, isNew: number != 1 && piece == 0) }
    }
    input.pipeline.expectGap(.overrun)
    input.pipeline.listZeros(since: 0)
    input.now += 100_000_000
    input.tap(losesSilently: true)
    for piece in 0..<50 { input.hear(tone, isNew: piece == 0) }
    input.pipeline.finish(isAway: false, at: 0)
    var (silenced, missing): ([MissingFrames], [MissingFrames]) = ([], [])
    while let buffer = await input.queue.next() {
      silenced += buffer.silenced
      missing += buffer.missing
    }
    #expect(silenced == [MissingFrames(position: 32000, frames: 16000, cause: .overrun)])
    #expect(missing.first?.position == 48000, "\(missing)")
  }
}
