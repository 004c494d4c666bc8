import CPulseStream
import Glibc
import POSIX
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

@Suite("Frames against the clock, without a server")
struct AccountingTests {
  /// Seconds of sound, as long as the machine has been heard: an hour by hand, AUDIOSESSION_HOUR=3600.
  static let length = ProcessEnvironment["AUDIOSESSION_HOUR"].flatMap { Int($0) } ?? 20

  /// A device that is simulated: it captures in fragments of 20 ms, which come late by any time.
  struct Input {
    let rate: Int
    let pipeline: CapturePipeline
    let queue: BufferQueue
    /// When the next frame is captured, nanoseconds, and how long the last of the clock's seconds is.
    var now: Int64
    var random: SeededRandom
    private let samples: [Float]
    private var channels = 1

    init(_ configuration: CaptureConfiguration, rate: Int, seed: Int) {
      self.rate = rate
      queue = BufferQueue(limit: 1_000_000)
      pipeline = CapturePipeline(configuration, queue)
      now = HostClock.nanoseconds + 1_000_000_000
      random = SeededRandom(seed: UInt64(seed))
      samples = [Float](repeating: 0.25, count: rate / 50)
      tap()
    }

    /// The tap is opened, for the first time or anew.
    mutating func tap(losesSilently: Bool = false, channels: Int = 1) {
      self.channels = channels
      var info = ps_info()
      (info.rate, info.buffer_frames) = (UInt32(rate), UInt32(rate / 50))
      info.channels = UInt32(channels)
      pipeline.begin(
        StreamGrant(info, ps_scheduling()), losesSilently: losesSilently, at: now)
    }

    /// A fragment of this sound, which comes at once.
    mutating func hear(_ sound: [Float], isNew: Bool = false) {
      let frames = sound.count / channels
      let length = Stretch.duration(Int64(frames), rate)
      now += length
      let chunk = ps_chunk(
        arrival_ns: now, host_ns: now - length, frames: UInt32(frames), lost: 0,
        discontinuity: isNew)
      sound.withUnsafeBufferPointer { pipeline.take(chunk, $0) }
    }

    /// Some fragments without a gap; the device's clock may be off by parts in a million.
    mutating func stretch(
      _ fragments: Int, latest: Int64, hole: Int = 0, claimed: UInt32 = 0, drift: Int64 = 0
    ) {
      for number in 0..<fragments {
        let lost = number == fragments / 2 ? hole : 0
        now += Stretch.duration(Int64(samples.count + lost), rate)
        now += 20 * drift
        // One of the first pieces comes at once.
        let delay = number == 3 ? 0 : Int64.random(in: 0...latest, using: &random)
        let chunk = ps_chunk(
          arrival_ns: now + delay,
          host_ns: now + delay - Stretch.duration(Int64(samples.count), rate),
          frames: UInt32(samples.count),
          lost: number == fragments / 2 ? max(claimed, UInt32(lost)) : 0, discontinuity: number == 0
        )
        samples.withUnsafeBufferPointer { pipeline.take(chunk, $0) }
      }
    }

    /// A tap of a device that was idle and hands over old fragments at once, then new ones. On a busy machine
    /// some come later than the others, all behind them, too.
    mutating func handOver(_ old: Int, then new: Int, halts: [Int: Int64]) {
      tap()
      let length = Stretch.duration(Int64(samples.count), rate)
      var arrival = now
      for number in 0..<old + new {
        if number >= old { now += length }
        arrival = max(now, arrival + 1_000_000) + (halts[number] ?? 0)
        let chunk = ps_chunk(
          arrival_ns: arrival, host_ns: arrival - length, frames: UInt32(samples.count), lost: 0,
          discontinuity: number == 0)
        samples.withUnsafeBufferPointer { pipeline.take(chunk, $0) }
      }
    }

    /// Ends it, and reads all buffers: the frames up to the end, and what of them is missing.
    func finish() async -> (frames: Int64, missing: Int) {
      pipeline.finish(isAway: false, at: 0)
      var (end, missing): (Int64, Int) = (0, 0)
      while let buffer = await queue.next() {
        missing += buffer.lostFrames
        #expect(buffer.position >= end)
        end = buffer.position + Int64(buffer.frameLength)
      }
      return (end, missing)
    }
  }

  @Test("a hole of an absurd size is as long as the clock says")
  func absurdHole() async {
    var configuration = CaptureConfiguration(frameLength: 160)
    configuration.includesRest = true
    var input = Input(configuration, rate: 16000, seed: 1)
    input.stretch(50, latest: 0)
    input.stretch(50, latest: 0, claimed: .max)
    let (frames, missing) = await input.finish()
    #expect(frames < 16000 * 5 && missing < 16000)
  }

  @Test(
    "old sound is old, also if it comes haltingly",
    arguments: [
      [:], [20: 15], [20: 70], [5: 30, 6: 30, 20: 12], [4: 200], [30: 19, 32: 19, 33: 19],
    ])
  func haltingSound(halts: [Int: Int64]) async {
    var configuration = CaptureConfiguration(frameLength: 160)
    configuration.includesRest = true
    var input = Input(configuration, rate: 16000, seed: 1)
    let begin = input.now
    input.stretch(50, latest: 0)
    // For a second and a half nothing is heard of the next input, which has kept the last 0.7 s of it.
    input.now += 1_500_000_000
    input.handOver(35, then: 100, halts: halts.mapValues { $0 * 1_000_000 })
    let clock = Double(input.now - begin) / 1e9
    let (frames, missing) = await input.finish()
    #expect(abs(Double(frames) / 16000 - clock) < 0.03, "\(frames) frames in \(clock) s")
    #expect(abs(Double(missing) / 16000 - 0.8) < 0.05, "\(missing) frames are missing")
  }

  @Test(
    "the first sound comes after three fragments, or a second, however they come",
    arguments: [0.005, 0.02, 0.06, 0.1, 0.2, 0.3, 1, 2], [-0.039, -0.015, 0, 0.015, 0.039])
  func firstSound(fragment: Double, isOff: Double) {
    let rate = 48000
    let frames = Int(fragment * Double(rate))
    var burst = Burst()
    var now = 1_000_000_000.0
    let begin = now
    let length = Stretch.duration(Int64(frames), rate)
    while now - begin < 10e9 {
      now += fragment * 1e9 * (1 - isOff)
      // The audio thread cuts what comes at once.
      for start in stride(from: 0, to: frames, by: 4096) {
        let count = min(4096, frames - start)
        let chunk = ps_chunk(
          arrival_ns: Int64(now),
          host_ns: Int64(now) - length + Stretch.duration(Int64(start), rate),
          frames: UInt32(count), lost: 0, discontinuity: false)
        guard burst.takes(chunk, rate: rate, fragment: length) else {
          #expect(now - begin <= max(2 * fragment, 1) * 1.05e9 + fragment * 1e9, "\(now - begin)")
          if isOff == 0 { #expect(now - begin <= max(0.15, 3.1 * fragment) * 1e9) }
          return
        }
        [Float](repeating: 0, count: count).withUnsafeBufferPointer {
          burst.add(chunk, $0, rate: rate)
        }
      }
    }
    Issue.record("a burst without an end")
  }

  @Test("sound that the server drops while this process is stopped is missing")
  func stopped() async {
    var configuration = CaptureConfiguration(frameLength: 160)
    configuration.includesRest = true
    var input = Input(configuration, rate: 16000, seed: 1)
    let begin = input.now
    input.stretch(150, latest: 1_000_000)
    input.now += 60_000_000_000
    // What the server kept comes at once and lasts 6 s; the frames continue.
    let tone = [Float](repeating: 0.25, count: 320)
    for _ in 0..<300 {
      input.hear(tone)
      input.now -= 20_000_000
    }
    for _ in 0..<200 { input.hear(tone) }
    let clock = Double(input.now - begin) / 1e9
    let (frames, missing) = await input.finish()
    #expect(abs(Double(frames) / 16000 - clock) < 0.1, "\(frames) frames in \(clock) s")
    #expect(abs(Double(missing) / 16000 - 54) < 0.1, "\(missing) frames are missing")
  }

  @Test("the slow clock of a virtual card loses nothing")
  func slowClock() async {
    var configuration = CaptureConfiguration(frameLength: 160)
    configuration.includesRest = true
    let input = Input(configuration, rate: 16000, seed: 1)
    let piece = [Float](repeating: 0.25, count: 320)
    var arrival = input.now
    // In the end it is three seconds behind.
    for number in 0..<7500 {
      arrival += 20_400_000
      let chunk = ps_chunk(
        arrival_ns: arrival, host_ns: arrival - 20_000_000, frames: 320, lost: 0,
        discontinuity: number == 0)
      piece.withUnsafeBufferPointer { input.pipeline.take(chunk, $0) }
    }
    input.pipeline.pause(isAway: false, at: arrival)
    #expect(await input.finish().missing == 0)
  }

  @Test("a device that delivers two seconds at once loses nothing", arguments: [4, 10, 25])
  func blocks(pieces: Int) async {
    var configuration = CaptureConfiguration(frameLength: 160)
    configuration.includesRest = true
    let input = Input(configuration, rate: 16000, seed: 1)
    let piece = [Float](repeating: 0.25, count: 32000 / pieces)
    let length = Stretch.duration(Int64(piece.count), 16000)
    for number in 0..<10 * pieces {
      // Each piece of a block looks as if it had just been captured.
      let arrival = input.now + Int64(number / pieces) * 2_000_000_000 + Int64(number) * 200_000
      let chunk = ps_chunk(
        arrival_ns: arrival, host_ns: arrival - length, frames: UInt32(piece.count), lost: 0,
        discontinuity: number == 0)
      piece.withUnsafeBufferPointer { input.pipeline.take(chunk, $0) }
    }
    #expect(await input.finish().missing == 0)
  }

  @Test(
    "a stop or a pause while the device is suspended counts the time until then",
    arguments: [true, false])
  func stoppedWhileSuspended(hasResumed: Bool) async {
    var configuration = CaptureConfiguration(frameLength: 160)
    configuration.includesRest = true
    var input = Input(configuration, rate: 16000, seed: 1)
    input.stretch(50, latest: 0)
    input.pipeline.noteSuspend()
    input.now += 2_000_000_000
    if hasResumed {
      input.pipeline.noteResume()
      input.stretch(50, latest: 0)
      // What comes later than the pause is not missing.
      input.now += 100_000_000
    }
    input.pipeline.pause(isAway: false, at: input.now)
    let (_, missing) = await input.finish()
    #expect(abs(Double(missing) / 16000 - 2) < 0.03, "\(missing) frames are missing")
  }

  @Test(
    "a stop or a pause after a move counts the time without sound until then, however short",
    arguments: [true, false])
  func stoppedAfterMove(isMoved: Bool) async {
    var configuration = CaptureConfiguration(frameLength: 160)
    configuration.includesRest = true
    var input = Input(configuration, rate: 16000, seed: 1)
    input.stretch(50, latest: 0)
    if isMoved { input.pipeline.noteMove() }
    input.now += 1_000_000_000
    input.pipeline.pause(isAway: false, at: input.now)
    let (_, missing) = await input.finish()
    #expect(
      abs(Double(missing) / 16000 - (isMoved ? 1 : 0)) < 0.03, "\(missing) frames are missing")
  }

  @Test(
    "an answer about the device from before the last move lets no sound of the next one pass",
    arguments: [true, false])
  func lateAnswer(isLate: Bool) async {
    var configuration = CaptureConfiguration(frameLength: 160)
    configuration.includesRest = true
    var input = Input(configuration, rate: 16000, seed: 1)
    input.stretch(50, latest: 0)
    input.pipeline.noteMove()
    let moves = input.pipeline.report.moves
    if isLate { input.pipeline.noteMove() }
    input.pipeline.report.allow("mic", after: moves)
    input.stretch(50, latest: 0)
    input.pipeline.pause(isAway: false, at: input.now)
    let (_, missing) = await input.finish()
    #expect(
      abs(Double(missing) / 16000 - (isLate ? 1 : 0)) < 0.05, "\(missing) frames are missing")
  }

  @Test(
    "a stop while the device delivers nothing counts the time until then, unless that is short",
    arguments: [1, 3] as [Int64])
  func stoppedWhileQuiet(seconds: Int64) async {
    var configuration = CaptureConfiguration(frameLength: 160)
    configuration.includesRest = true
    var input = Input(configuration, rate: 16000, seed: 1)
    input.stretch(50, latest: 0)
    input.now += seconds * 1_000_000_000
    input.pipeline.pause(isAway: false, at: input.now)
    let (_, missing) = await input.finish()
    let expected = seconds > 2 ? Double(seconds) : 0
    #expect(abs(Double(missing) / 16000 - expected) < 0.03, "\(missing) frames are missing")
  }

  @Test(
    "what a device delivers within half a second after a pause follows it; what is later is missing",
    arguments: [200, 2000] as [Int64], [true, false])
  func startsAfterPause(milliseconds: Int64, comes: Bool) async {
    var configuration = CaptureConfiguration(frameLength: 160)
    configuration.includesRest = true
    var input = Input(configuration, rate: 16000, seed: 1)
    input.stretch(50, latest: 0)
    input.pipeline.pause(isAway: false, at: input.now)
    input.now += 60_000_000_000
    input.pipeline.resume()
    input.tap()
    input.now += milliseconds * 1_000_000
    if comes { input.stretch(50, latest: 0) }
    input.pipeline.pause(isAway: false, at: input.now)
    let (_, missing) = await input.finish()
    let expected = milliseconds > 500 ? Double(milliseconds) / 1000 : 0
    #expect(abs(Double(missing) / 16000 - expected) < 0.03, "\(missing) frames are missing")
  }

  @Test("an input that is lost after a pause, before its sound, is away since it was tapped")
  func lostAfterPause() async {
    var configuration = CaptureConfiguration(frameLength: 160)
    configuration.includesRest = true
    var input = Input(configuration, rate: 16000, seed: 1)
    input.stretch(50, latest: 0)
    input.pipeline.pause(isAway: false, at: input.now)
    input.now += 60_000_000_000
    input.pipeline.resume()
    input.tap()
    input.now += 1_000_000_000
    input.pipeline.expectGap(.routeChange)
    input.pipeline.noteAway(.routeChange, at: input.now)
    input.now += 2_000_000_000
    input.tap()
    input.stretch(50, latest: 0)
    let (_, missing) = await input.finish()
    #expect(abs(Double(missing) / 16000 - 3) < 0.03, "\(missing) frames are missing")
  }

  @Test("each gap has its own cause, and without a known one it is an overrun")
  func causes() async {
    var configuration = CaptureConfiguration(frameLength: 160)
    configuration.includesRest = true
    var input = Input(configuration, rate: 16000, seed: 1)
    /// A gap of a second before a new tap.
    func gap(_ cause: MissingFrames.Cause) {
      input.pipeline.expectGap(cause)
      input.now += 1_000_000_000
      input.tap()
    }
    input.stretch(50, latest: 0)
    gap(.routeChange)
    input.stretch(50, latest: 0)
    gap(.serverReset)
    // The next gap comes before this sound is joined.
    input.stretch(2, latest: 0)
    gap(.routeChange)
    input.stretch(50, latest: 0)
    input.pipeline.noteSuspend()
    // Sound from before it.
    input.stretch(1, latest: 0)
    input.now += 1_000_000_000
    input.pipeline.noteResume()
    input.stretch(50, latest: 0)
    // The device delivers nothing any more.
    input.now += 1_000_000_000
    input.pipeline.finish(isAway: true, at: input.now)
    var missing: [MissingFrames] = []
    while let buffer = await input.queue.next() { missing += buffer.missing }
    let causes: [MissingFrames.Cause] = [
      .routeChange, .serverReset, .routeChange, .suspended, .overrun,
    ]
    #expect(missing.joined().map(\.cause) == causes, "\(missing)")
  }

  @Test("the raw sound of a buffer has one format, also where the input changes")
  func rawFormats() async {
    var configuration = CaptureConfiguration(frameLength: 4000, includesRaw: true)
    configuration.includesRest = true
    var input = Input(configuration, rate: 16000, seed: 1)
    let sounds: [[Float]] = [.init(repeating: 0.25, count: 320), .init(repeating: 0.5, count: 640)]
    for (number, sound) in sounds.enumerated() {
      if number > 0 { input.tap(channels: 2) }
      for piece in 0..<30 { input.hear(sound, isNew: piece == 0) }
    }
    input.pipeline.finish(isAway: false, at: 0)
    var seen: Set<Int> = []
    while let raw = await input.queue.next()?.raw {
      let sample: Float = raw.channels == 1 ? 0.25 : 0.5
      #expect(raw.samples.allSatisfy { $0 == sample }, "\(raw.channels) channels")
      if !raw.samples.isEmpty { seen.insert(raw.channels) }
    }
    #expect(seen == [1, 2])
  }

  @Test("errors of the clock do not add up over a thousand changes", arguments: 0..<4)
  func manyChanges(seed: Int) async {
    var configuration = CaptureConfiguration(frameLength: 160)
    configuration.includesRest = true
    let rates = [16000, 44100, 48000, 8000].filter { Resampler.isAvailable || $0 == 16000 }
    var input = Input(configuration, rate: rates[seed % rates.count], seed: seed)
    let begin = input.now
    for _ in 0..<1000 {
      input.stretch(
        Int.random(in: 4...8, using: &input.random), latest: 9_000_000,
        hole: Int.random(in: 0...3, using: &input.random) == 0 ? 77 : 0)
      switch Int.random(in: 0...2, using: &input.random) {
      case 0: input.now += Int64.random(in: 0...15_000_000, using: &input.random)
      case 1: input.now += Int64.random(in: 30_000_000...90_000_000, using: &input.random)
      default:
        input.now += Int64.random(in: 5_000_000...90_000_000, using: &input.random)
        input.tap()
      }
    }
    input.stretch(10, latest: 0)
    let clock = Double(input.now - begin) / 1e9
    let frames = Double(await input.finish().frames) / 16000
    // A fragment, and what the first pieces came late.
    #expect(abs(frames - clock) < 0.03, "\(frames) s of frames in \(clock) s")
  }

  /// Inside a stretch the device's count is the truth: a crystal that is off makes nothing missing.
  @Test("no frame is added or lost in a long stretch", .soxr, arguments: [-100, 0, 100])
  func drift(partsInAMillion: Int64) async {
    let configuration = CaptureConfiguration(frameLength: 2048)
    var input = Input(configuration, rate: 44100, seed: 1)
    let queue = input.queue
    async let reading = Self.read(queue)
    let before = Self.residentKilobytes
    input.stretch(Self.length * 50, latest: 30_000_000, drift: partsInAMillion)
    input.pipeline.finish(isAway: false, at: 0)
    let (end, last) = await reading
    // By hand, where no other test runs beside it.
    if Self.length >= 600 { #expect(Self.residentKilobytes - before < 8192) }
    #expect(Int64(Self.length) * 16000 - end < 2048)
    // The time of a buffer follows the device's clock, within a delay.
    let late = (last?.hostTime ?? .zero).seconds - Double(input.now) / 1e9
    #expect(late < 0 && late > -0.3)
  }

  /// Reads all buffers, which follow each other; where they end, and the last one.
  private static func read(_ queue: BufferQueue) async -> (end: Int64, last: CaptureBuffer?) {
    var (end, last): (Int64, CaptureBuffer?) = (0, nil)
    while let buffer = await queue.next() {
      #expect(buffer.position == end)
      #expect(buffer.missing.isEmpty)
      end += 2048
      last = buffer
    }
    return (end, last)
  }

  private static var residentKilobytes: Int {
    File.text("/proc/self/statm").split(separator: " ").dropFirst().first.flatMap { Int($0) }
      .map { $0 * 4 } ?? 0
  }
}
