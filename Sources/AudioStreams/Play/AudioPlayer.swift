public import AudioSession
internal import CAudioKernel
internal import PulseTypes

/// Plays a sound file through the session's output, at the device's actual rate.
public actor AudioPlayer {
  /// The session whose output is used.
  public nonisolated let session: AudioSession

  private var playing: Playing?

  private struct Playing {
    var stream: RealtimeStream
    var feed: PlaybackFeed
    var rate: Int
    var length: Duration
  }

  /// Makes a player. Opens nothing until `play`.
  public init(session: AudioSession) { self.session = session }

  /// The position and the length of the file; nil while nothing plays.
  public var progress: (position: Duration, length: Duration)? {
    playing.map { (.seconds(Double($0.feed.position) / Double($0.rate)), $0.length) }
  }

  /// Plays a file to its end, and returns how much was played; cancelling the task stops it. `-` is
  /// standard input, which is read to its end first.
  ///
  /// Errors: `fileNotFound`, `notASound` (also for more than 32 channels), `fileFailed`,
  /// `permissionDenied` for the file, `missingPackage`, `alreadyStreaming`, `deviceNotAvailable`,
  /// `converterFailed`, `engineStartFailed` (also if the server stops in the meantime).
  @discardableResult
  public func play(_ path: String) async throws(StreamError) -> Duration {
    guard playing == nil else {
      throw StreamError(.alreadyStreaming, "the player plays already")
    }
    let reader = try SoundFileReader(path: path)
    guard SampleSpec.channelCounts.contains(reader.channels) else {
      throw StreamError(
        .notASound,
        "'\(path)' has \(reader.channels) channels; 1 to 32 can be played")
    }
    // A few samples at a very low rate would become more sound than fits into memory.
    guard (1000...768_000).contains(reader.sampleRate) else {
      throw StreamError(
        .notASound, "'\(path)' has \(reader.sampleRate) Hz; 1000 to 768000 Hz can be played")
    }
    let feed = PlaybackFeed(reader)
    let (news, tell) = AsyncStream.makeStream(of: News.self)
    var request = request(for: reader)
    let place = await session.place(.output)
    request.take(place)
    if let buffer = place.buffer { request.latency = buffer * 4 }
    let stream = try RealtimeStream(request) { signal in
      do throws(StreamError) {
        switch signal {
        case .ready(let grant): try feed.prepare(grant)
        case .requested: if try !feed.fill() { tell.yield(.allIsWritten) }
        case .events(let events): if events.contains(.drained) { tell.yield(.allIsHeard) }
        case .ended(let error?): throw error
        case .ended(nil), .sound: break
        }
      } catch {
        tell.yield(.failed(error))
      }
    }
    do throws(StreamError) {
      let grant = try await stream.opened()
      let length = Duration(
        saturatingSeconds: Double(reader.frames) / Double(reader.sampleRate))
      playing = Playing(stream: stream, feed: feed, rate: grant.rate, length: length)
      try await run(stream, feed, news)
    } catch {
      await end(stream)
      throw error
    }
    let played = progress?.position ?? .zero
    await end(stream)
    return played
  }

  private func end(_ stream: RealtimeStream) async {
    await stream.close()
    playing = nil
  }

  private enum News {
    case allIsWritten, allIsHeard
    case failed(StreamError)
  }

  private func run(
    _ stream: RealtimeStream, _ feed: PlaybackFeed, _ news: AsyncStream<News>
  ) async throws(StreamError) {
    if let player = feed.player {
      stream.start(ak_player_render, context: UnsafeMutableRawPointer(player))
    }  // otherwise a signal has the reason
    for await item in news {
      switch item {
      case .allIsWritten: stream.drain()
      case .allIsHeard: return
      case .failed(let error): throw error
      }
    }
  }

  private nonisolated func request(for reader: SoundFileReader) -> StreamRequest {
    var request = StreamRequest(
      direction: .output, server: session.address, name: "Audio player",
      latency: .milliseconds(200), signalsRequests: true, timeout: session.configuration.timeout)
    // The server converts the file's channels to the device's.
    request.channels = reader.channels
    if !Resampler.isAvailable { request.rate = reader.sampleRate }
    return request
  }
}
