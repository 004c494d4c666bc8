import CPulseStream
import Glibc
import POSIX
import PulseTypes

/// What to ask the server for when a realtime stream is opened.
struct StreamRequest: Sendable {
  /// Input records, output plays.
  var direction: Direction
  /// The server's address; nil means the environment's.
  var server: String?
  /// The name under which the server lists the stream.
  var name: String
  /// The device's name; nil follows the default.
  var device: String?
  /// Hz; nil takes the device's.
  var rate: Int?
  /// Nil takes the device's.
  var channels: Int?
  /// Exactly these channels of the device, in this order; `mono` mixes all of them. Nil takes the
  /// device's channels. `channels` is their number.
  var channelMap: ChannelMap?
  /// The `media.role` of the stream; nil is the session's.
  var role: String?
  /// Whether the stream belongs to a program with its own session, so that other sessions leave it
  /// alone.
  var isOwn = false
  /// Whether the program chose the device, so that the session does not move the stream.
  var isFixed = false
  /// Whether the server must not move it either: the stream ends with its device.
  var staysPut = false
  /// Record: the latency of the device. Playback: that of the whole buffer. Nil leaves it to the
  /// server.
  var latency: Duration?
  /// Playback: whether the handler gets `requested` after each request.
  var signalsRequests = false
  /// How long the server may take to create the stream.
  var timeout = Duration.seconds(5)

  /// Throws `invalidFormat` for impossible values, over which libpulse would abort the program.
  func check() throws(StreamError) {
    if let rate, !SampleSpec.rates.contains(rate) {
      throw StreamError(.invalidFormat, "no stream can have \(rate) Hz (1 to 384000)")
    }
    for count in [channels, channelMap?.count].compactMap(\.self)
    where !SampleSpec.channelCounts.contains(count) {
      throw StreamError(.invalidFormat, "no stream can have \(count) channels (1 to 32)")
    }
    if let channels, let channelMap, channelMap.count != channels {
      throw StreamError(
        .invalidFormat, "no stream can have \(channels) channels in a map of \(channelMap.count)")
    }
  }
}

/// What the server granted a realtime stream.
struct StreamGrant: Sendable, Hashable {
  /// Hz.
  var rate: Int
  /// Samples in a frame.
  var channels: Int
  /// Record: the frames that arrive at once. Playback: the frames that are buffered.
  var bufferFrames: Int
  /// The name of the device on which the stream was created.
  var device: String?
  /// How the audio thread runs.
  var scheduling: Scheduling

  init(_ info: ps_info, device: String? = nil, _ scheduling: ps_scheduling) {
    self.device = device
    rate = Int(info.rate)
    channels = Int(info.channels)
    bufferFrames = Int(info.buffer_frames)
    self.scheduling = Scheduling(scheduling)
  }
}

/// Events of a stream, apart from its sound (libpulse: the stream's callbacks).
struct StreamEvents: OptionSet, Sendable, Hashable {
  let rawValue: UInt32

  static let moved = StreamEvents(PS_MOVED)
  static let suspended = StreamEvents(PS_SUSPENDED)
  static let drained = StreamEvents(PS_DRAINED)

  init(rawValue: UInt32) { self.rawValue = rawValue }
  private init(_ event: ps_event) { self.init(rawValue: event.rawValue) }
}

/// Figures of a realtime stream since it was opened.
public struct StreamStatistics: Sendable, Hashable {
  /// How often the server delivered or requested sound.
  public var callbacks: UInt64
  /// Playback: how often the server ran out of sound.
  public var underflows: UInt64
  /// Record: frames that were dropped because the ring was full.
  public var droppedFrames: UInt64
  /// Calls on the ring from the wrong thread.
  public var violations: UInt64
  /// The longest callback.
  public var longest: Duration
  private var buckets: [UInt64]

  /// Makes figures that are all zero.
  public init() { self.init(ps_stats()) }

  init(_ stats: ps_stats) {
    callbacks = stats.callbacks
    underflows = stats.underflows
    droppedFrames = stats.dropped_frames
    violations = stats.violations
    longest = .nanoseconds(Int64(clamping: stats.longest_ns))
    buckets = withUnsafeBytes(of: stats.buckets) { Array($0.bindMemory(to: UInt64.self)) }
  }

  /// Adds the figures of another stream.
  mutating func add(_ other: StreamStatistics) {
    callbacks += other.callbacks
    underflows += other.underflows
    droppedFrames += other.droppedFrames
    violations += other.violations
    longest = max(longest, other.longest)
    for index in buckets.indices { buckets[index] += other.buckets[index] }
  }

  /// The time within which this share of the callbacks ended, such as 0.999; at most one eighth too
  /// long.
  public func callbackTime(quantile: Double) -> Duration {
    let limit = UInt64(saturating: (Double(callbacks) * quantile).rounded(.up))
    var count: UInt64 = 0
    for (index, bucket) in buckets.enumerated() {
      count += bucket
      if count >= limit { return .nanoseconds(Int64(ps_bucket_ns(UInt32(index)))) }
    }
    return longest
  }
}

/// How an audio thread is scheduled.
///
/// The thread runs in realtime if it has the permission itself (`RLIMIT_RTPRIO`, `CAP_SYS_NICE`),
/// or if rtkit, the desktop's service for this, grants it. rtkit requires a lower `RLIMIT_RTTIME`
/// for the process (200 ms by default): the kernel then kills a program if one of its realtime
/// threads runs longer without a pause.
public enum Scheduling: Sendable, Hashable, CustomStringConvertible {
  /// Round robin at this priority: before all ordinary threads.
  case realtime(priority: Int)
  /// The same, granted by rtkit.
  case realtimeByRTKit(priority: Int)
  /// Like any other thread; the value is why neither the kernel nor rtkit granted more.
  case ordinary(String)

  init(_ scheduling: ps_scheduling) {
    let priority = Int(scheduling.priority)
    self =
      switch (scheduling.is_realtime, scheduling.by_rtkit) {
      case (true, false): .realtime(priority: priority)
      case (true, true): .realtimeByRTKit(priority: priority)
      case (false, _):
        .ordinary(
          "\(SystemError(scheduling.error)); \(Self.words(scheduling.rtkit_error))")
      }
  }

  /// What rtkit did.
  private static func words(_ error: Int32) -> String {
    switch error {
    case ENOSYS: "built without libdbus (package libdbus-1-dev), so rtkit was not asked"
    case EHOSTUNREACH: "rtkit does not answer (package rtkit)"
    case EPERM: "rtkit refused"
    default: "rtkit: \(SystemError(error))"
    }
  }

  /// `realtime, priority 5`, or `not realtime: Operation not permitted; rtkit refused`.
  public var description: String {
    switch self {
    case .realtime(let priority): "realtime, priority \(priority)"
    case .realtimeByRTKit(let priority): "realtime by rtkit, priority \(priority)"
    case .ordinary(let reason): "not realtime: \(reason)"
    }
  }
}
