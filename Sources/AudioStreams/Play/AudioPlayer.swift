public import AudioSession
internal import CAudioKernel
internal import POSIX
internal import Pulse
internal import PulseTypes
internal import SessionCore

/// Plays a sound file through the session's output, at the device's actual rate.
public actor AudioPlayer {
  /// The session whose output is used.
  public nonisolated let session: AudioSession

  private nonisolated let readers = Readers<(position: Duration, length: Duration)>()
  private var playing: Playing?
  /// The result of the last file, when it is there.
  private var last: Promise<Result<Duration, StreamError>>?
  private var lastDropouts = Duration.zero
  /// The start that is in progress.
  private(set) var opening: Opening?

  fileprivate struct Playing {
    let stream: RealtimeStream
    let feed: PlaybackFeed
    let grant: StreamGrant
    let length: Duration
    /// Ends with the file, or when it is cancelled; then the stream is closed.
    let work: Task<Void, Never>
    let end: Promise<Result<Duration, StreamError>>

    var position: Duration { AudioPlayer.played(feed, grant, isWhole: false) }
    var dropouts: Duration { AudioPlayer.dropouts(stream, feed, grant) }
  }

  struct Opening {
    let stop: StopSignal
    fileprivate let work: Task<Result<Playing, StreamError>, Never>

    func cancel() {
      stop.set()
      work.cancel()
    }
  }

  /// Makes a player. Opens nothing until `play` or `start`.
  public init(session: AudioSession) { self.session = session }

  // The task ends the stream.
  deinit {
    guard let playing else { return readers.finish() }
    playing.work.cancel()
  }

  /// The position and the length of the file, zero if the file does not say it; nil while nothing plays.
  public var progress: (position: Duration, length: Duration)? {
    playing.map { ($0.position, $0.length) }
  }

  /// The `progress` from now on, ten times a second while a file plays, and last what was played; ends
  /// with the file, also when it is stopped or fails. While nothing plays it waits for the next file: get
  /// it before `start`. A slow reader gets only the newest.
  public nonisolated var progressUpdates: AsyncStream<(position: Duration, length: Duration)> {
    readers.makeStream(limit: 1)
  }

  /// Whether the file is paused because the server requests it, as PulseAudio's `module-role-cork` does
  /// for music and films during a call. It plays on by itself. (A file that begins during the call is
  /// muted by the server instead, which sends no request then.)
  public var isPaused: Bool { playing?.stream.isPaused ?? false }

  /// How long silence was heard within the sound of this file, or of the last one if none plays: the
  /// file could not be read in time, or the server got its sound too late (`underflowTime`).
  public var dropouts: Duration { playing?.dropouts ?? lastDropouts }

  private static func dropouts(
    _ stream: RealtimeStream, _ feed: PlaybackFeed, _ grant: StreamGrant
  ) -> Duration {
    .seconds(Double(feed.starved) / Double(grant.rate)) + stream.statistics.underflowTime
  }

  /// How much was heard: before the end, not what the server still holds.
  private static func played(
    _ feed: PlaybackFeed, _ grant: StreamGrant, isWhole: Bool
  ) -> Duration {
    let frames = feed.position - (isWhole ? 0 : Int64(grant.bufferFrames))
    return .seconds(Double(max(0, frames)) / Double(grant.rate))
  }

  /// Plays a file to its end, and returns how much was played; cancelling the task stops it. `-` is
  /// standard input, which is read to its end first.
  ///
  /// Errors: those of `start` and `finished`.
  @discardableResult
  public func play(_ path: String) async throws(StreamError) -> Duration {
    let playing = try await open(path)
    if let result = await playing.end.valueUnlessCancelled() { return try result.get() }
    return await stop(playing)
  }

  /// Begins to play a file, and returns when its stream is open. `-` is standard input, which is
  /// read to its end first.
  ///
  /// Errors: `fileNotFound`, `notASound` (also for more than 32 channels), `permissionDenied` for the
  /// file, `missingPackage`, `alreadyStreaming`, `deviceNotAvailable`, `engineInitFailed`,
  /// `engineStartFailed` and `fileFailed` (both also after a `stop` in the meantime; `fileFailed` also
  /// if the file cannot be opened within 30 s).
  public func start(_ path: String) async throws(StreamError) { _ = try await open(path) }

  private func open(_ path: String) async throws(StreamError) -> Playing {
    guard playing == nil, opening == nil else {
      throw StreamError(.alreadyStreaming, "the player plays already")
    }
    let stop = StopSignal()
    let new = Opening(
      stop: stop,
      work: Task {
        await outcome { () async throws(StreamError) in try await begin(path, until: stop) }
      })
    opening = new
    return try await withTaskCancellationHandler {
      await new.work.value
    } onCancel: {
      new.cancel()
    }.get()
  }

  private func begin(_ path: String, until stop: StopSignal) async throws(StreamError) -> Playing {
    defer {
      opening = nil
      if playing == nil { readers.finish() }
    }
    let file = Promise<Result<PlaybackFeed, StreamError>>()
    let opener = Opener()
    Task { file.fulfill(await opener.open(path, until: stop)) }
    let limit = Task { [session] in
      try await session.sleep(until: .now + Self.readTimeout)
      guard !opener.isReadingPipe.isRaised else { return }
      file.fulfill(.failure(.hangingDisk("'\(path)' could not be opened", in: Self.readTimeout)))
    }
    defer { limit.cancel() }
    guard let result = await file.valueUnlessCancelled() else { throw Self.wasStopped }
    let feed = try result.get()
    let reader = feed.reader
    let (news, tell) = AsyncStream.makeStream(of: News.self)
    var request = request(for: reader)
    let place = await session.place(.output)
    request.take(place)
    if let buffer = place.buffer { request.latency = buffer * 4 }
    let (moves, noteMove) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let stream = try RealtimeStream(request) { signal in
      do throws(StreamError) {
        switch signal {
        case .ready(let grant): try feed.prepare(grant, as: place.presented)
        case .requested: if try !feed.fill() { tell.yield(.allIsWritten(feed.damage)) }
        case .events(let events):
          if events.contains(.drained) { tell.yield(.allIsHeard) }
          if events.contains(.moved) { noteMove.yield() }
        case .ended(let error?):
          noteMove.finish()
          throw error
        case .ended(nil): noteMove.finish()
        case .sound: break
        }
      } catch {
        tell.yield(.failed(error))
      }
    }
    let grant: StreamGrant
    do throws(StreamError) {
      grant = try await stream.opened()
      guard !stop.isRaised else { throw Self.wasStopped }
    } catch {
      await Self.close(stream, feed, session)
      throw error
    }
    let length = Duration(saturatingSeconds: Double(reader.frames) / Double(reader.sampleRate))
    let end = Promise<Result<Duration, StreamError>>()
    let work = Task { [weak self, session, readers] in
      let watch = Task {
        let error = await Self.waitForStandstill(of: stream, feed, path, grant, session) {
          readers.send((Self.played(feed, grant, isWhole: false), length))
        }
        if let error { tell.yield(.failed(error)) }
      }
      let placing = Task {
        for await _ in moves {
          let error = await Self.misplacement(of: stream, from: place, session)
          if let error { tell.yield(.failed(error)) }
        }
      }
      let failure = await Self.run(stream, feed, news)
      let played = Self.played(feed, grant, isWhole: failure == nil && !Task.isCancelled)
      watch.cancel()
      placing.cancel()
      await watch.value
      await Self.close(stream, feed, session)
      // Before the next file can begin.
      readers.send((played, length))
      readers.finish()
      await self?.noteEnd(of: end, dropouts: Self.dropouts(stream, feed, grant))
      end.fulfill(failure.map { .failure($0) } ?? .success(played))
    }
    let new = Playing(
      stream: stream, feed: feed, grant: grant, length: length, work: work, end: end)
    playing = new
    last = end
    return new
  }

  /// Stops at once, and returns how much was played; zero if nothing plays. A start in progress fails.
  @discardableResult
  public func stop() async -> Duration {
    if let opening {
      opening.cancel()
      _ = await opening.work.value
    }
    guard let playing else { return .zero }
    return await stop(playing)
  }

  private func stop(_ playing: Playing) async -> Duration {
    playing.work.cancel()
    return (try? await playing.end.value().get()) ?? playing.position
  }

  /// Waits until the file has been played or stopped, and returns how much was; zero if nothing was
  /// ever played. If the task is cancelled, returns the current position, and the file plays on.
  ///
  /// Errors: `engineStartFailed` if the server stops in the meantime, or if the output takes no
  /// sound for 5 s longer than its buffer lasts, though it is not paused; `deviceNotAvailable` if it is
  /// gone, or does not have the channels of an output that the session plays on; `notASound` if
  /// the file is damaged or truncated, once its sound has been played; `fileFailed` if it cannot be
  /// read for 30 s; `converterFailed`, `conversionFailed`.
  @discardableResult
  public func finished() async throws(StreamError) -> Duration {
    guard let last else { return .zero }
    guard let result = await last.valueUnlessCancelled() else {
      return playing?.position ?? .zero
    }
    return try result.get()
  }

  private func noteEnd(of end: Promise<Result<Duration, StreamError>>, dropouts: Duration) {
    guard playing?.end === end else { return }
    playing = nil
    lastDropouts = dropouts
  }

  /// How long a disk may take: it may hang.
  private static let readTimeout = Duration.seconds(30)

  private static var wasStopped: StreamError {
    StreamError(.engineStartFailed, "the player was stopped while it started")
  }

  /// Opens files on a thread of its own: a pipe may pause for as long as it likes.
  private actor Opener {
    private let thread = PulseLoop()
    nonisolated let isReadingPipe = StopSignal()

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    func open(_ path: String, until stop: StopSignal) -> Result<PlaybackFeed, StreamError> {
      Result { () throws(StreamError) in
        if path == "-" || File.status(path)?.isPipe == true { isReadingPipe.set() }
        let reader = try SoundFileReader(path: path, until: stop)
        guard SampleSpec.channelCounts.contains(reader.channels) else {
          throw StreamError(
            .notASound, "'\(path)' has \(reader.channels) channels; 1 to 32 can be played")
        }
        // A few samples at a very low rate would become more sound than fits into memory.
        guard (1000...768_000).contains(reader.sampleRate) else {
          throw StreamError(
            .notASound, "'\(path)' has \(reader.sampleRate) Hz; 1000 to 768000 Hz can be played")
        }
        return PlaybackFeed(reader)
      }
    }
  }

  private enum News {
    /// With the damage that ended the file early.
    case allIsWritten(StreamError?)
    case allIsHeard
    case failed(StreamError)
  }

  /// Plays to the end, or until the task is cancelled; returns why it failed.
  private static func run(
    _ stream: RealtimeStream, _ feed: PlaybackFeed, _ news: AsyncStream<News>
  ) async -> StreamError? {
    if let player = feed.player {
      stream.start(ak_player_render, context: UnsafeMutableRawPointer(player))
    }  // otherwise a signal has the reason
    var damage: StreamError?
    for await item in news {
      switch item {
      case .allIsWritten(let error):
        damage = error
        stream.drain()
      case .allIsHeard: return damage
      case .failed(let error): return error
      }
    }
    return nil
  }

  /// Why nothing is heard on the output that the server has moved the stream to: it has none of the channels
  /// that the session selected when the stream was opened. Nil if it has one, or that is not known.
  private static func misplacement(
    of stream: RealtimeStream, from place: StreamPlace, _ session: AudioSession
  ) async -> StreamError? {
    guard let channels = place.channels, channels != .mono, !place.areAll,
      let snapshot = await session.snapshot(while: { !Task.isCancelled }),
      let device = snapshot.device(.output, at: stream.device),
      Set(device.channelMap.positions).isDisjoint(with: channels.positions)
    else { return nil }
    var error = StreamError(
      .deviceNotAvailable, "'\(device.name)' does not have the channels that the file is played on")
    error.isOfOutput = true
    return error
  }

  /// Ends a stream; waits at most a second for the file, whose disk may hang.
  private static func close(
    _ stream: RealtimeStream, _ feed: PlaybackFeed, _ session: AudioSession
  ) async {
    await session.waitASecond {
      await stream.close()
      withExtendedLifetime(feed) {}  // the audio thread renders with it
    }
  }

  /// Waits until the output has taken no sound for 5 s longer than its buffer lasts, or until the
  /// file has given none for 30 s; nil if the task is cancelled first.
  ///
  /// - Parameter notice: called ten times a second meanwhile.
  private static func waitForStandstill(
    of stream: RealtimeStream, _ feed: PlaybackFeed, _ path: String, _ grant: StreamGrant,
    _ session: AudioSession, _ notice: @Sendable () -> Void
  ) async -> StreamError? {
    let buffer = Duration.seconds(Double(grant.bufferFrames) / Double(max(1, grant.rate)))
    var output = Standstill(after: buffer + .seconds(5), every: .milliseconds(100))
    var file = Standstill(after: readTimeout, every: output.interval)
    while !output.isLasting(stream.isPaused ? nil : stream.statistics.callbacks) {
      if file.isLasting(stream.isPaused ? nil : UInt64(feed.position)) {
        return .hangingDisk("'\(path)' could not be read", in: readTimeout)
      }
      notice()
      let pause = stream.isPaused ? .milliseconds(250) : output.interval
      do { try await session.sleep(until: .now + pause) } catch { return nil }
    }
    return .standstill(await stream.outputName(session, grant))
  }

  private nonisolated func request(for reader: SoundFileReader) -> StreamRequest {
    var request = StreamRequest(
      direction: .output, server: session.address, name: "Audio player",
      latency: .milliseconds(200), signalsRequests: true, pauses: true,
      timeout: session.configuration.timeout)
    // The server converts the file's channels to the device's. It would drop those that nothing names: they
    // are mixed here.
    if reader.positions != nil {
      request.channels = reader.channels
      request.channelMap = reader.channelMap
      request.mixesChannels = true
    }
    if !Resampler.isAvailable { request.rate = reader.sampleRate }
    return request
  }
}
