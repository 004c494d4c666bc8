internal import PulseTypes

/// Short sweeps on one output channel after the other, and where they were recorded.
package struct LoopMeasurement: Sendable, Hashable {
  package var source: String
  /// For each output channel, the source's channel that recorded it; nil if none did.
  package var heard: [Int?]
  /// The time from passing a sample to the server until it was recorded, for each detected sweep.
  package var latencies: [Duration]

  /// Whether sweeps were detected whose latencies do not agree, so that they count as not heard.
  private var isUncertain = false

  /// Whether the source is the output's own monitor, without air or cable in between.
  package var isMonitor = false

  /// The median of the latencies; nil if no sweep was detected.
  package var latency: Duration? {
    latencies.isEmpty ? nil : latencies.sorted()[latencies.count / 2]
  }

  package init(source: String, heard: [Int?], latencies: [Duration]) {
    (self.source, self.heard, self.latencies) = (source, heard, latencies)
  }

  /// The duration of a sweep in seconds.
  private static let duration = 0.06

  /// The sweep of an output channel, within the telephone band, at -18 dB: it rises on every other channel
  /// and falls on the others, so that an echo that comes only after the next sweep is not like that one.
  private static func sweep(of channel: Int) -> TonePlayer.Segment {
    let (low, high) = (400.0, 3200.0)
    let rises = channel.isMultiple(of: 2)
    return TonePlayer.Segment(
      seconds: duration, from: rises ? low : high, to: rises ? high : low, amplitude: 0.125,
      channels: [channel])
  }

  /// How long to wait for an echo after each sweep, in turn. They differ, so that a late echo is also at
  /// another distance from each, by more than a busy machine usually shifts one.
  private static let pauses = [0.4, 0.7, 0.55, 0.85]
  /// By how many seconds the latencies of sweeps may differ from the usual one.
  private static let agreement = 0.03
  /// The minimum similarity of a detected sweep.
  private static let likeness = 0.5

  /// The number of attempts if only some channels are detected: a busy machine loses sound.
  private static let attempts = 3

  /// Plays on the default output and records a source.
  ///
  /// - Parameters:
  ///   - outputs: the channels of the output.
  ///   - latency: the latency that both streams request.
  package static func run(
    server: String?, source: String, outputs: Int, latency: Duration
  ) async throws(StreamError) -> LoopMeasurement {
    var result = try await measure(server, source, outputs, latency)
    for _ in 1..<attempts
    where result.heard.contains(nil) && (result.isUncertain || !result.latencies.isEmpty) {
      result.fill(from: try await measure(server, source, outputs, latency))
    }
    return result
  }

  /// Adopts missing channels from another measurement, and all its latencies.
  package mutating func fill(from other: LoopMeasurement) {
    heard = zip(heard, other.heard).map { $0 ?? $1 }
    latencies += other.latencies
  }

  private static func measure(
    _ server: String?, _ source: String, _ outputs: Int, _ latency: Duration
  ) async throws(StreamError) -> LoopMeasurement {
    // An idle output has buffered seconds of silence, and drops them only when a stream plays; a
    // monitor would be late by that much.
    let waker = try await TonePlayer([.silence(60)], server: server, latency: latency)
    let recording = Recording()
    let tap = try await DeviceTap(
      server: server, device: source, latency: latency, staysPut: true,
      handler: { recording.add($0) }, onEnd: { recording.noteEnd($0) })
    await recording.settles(tap)
    let rounds = outputs == 1 ? 3 : 2
    let channels = (0..<rounds * outputs).map { $0 % outputs }
    let segments = channels.enumerated().flatMap { number, channel in
      [sweep(of: channel), .silence(pauses[number % pauses.count])]
    }
    let player = try await TonePlayer(segments, server: server, latency: latency)
    // What was not played in time is not heard, which the result says.
    do throws(StreamError) { try await player.finish() } catch {
      guard error.isTimedOut else { throw error }
    }
    let begins = channels.indices.map { player.begin(of: 2 * $0) }
    await waker.close()
    await tap.close()
    if let failure = recording.failure { throw failure }
    let sound = recording.sound(channels: tap.channels)
    let probes = (0..<outputs).map { channel in
      var probe = sweep(of: channel)
      probe.channels = nil
      return ToneKernel([probe], sampleRate: Double(tap.sampleRate), channels: 1)
        .render(Int(saturating: duration * Double(tap.sampleRate)), channels: 1)
    }
    var result = LoopMeasurement(
      source: source, heard: [Int?](repeating: nil, count: outputs), latencies: [])
    let found = begins.enumerated().compactMap { number, begin in
      begin.flatMap {
        let probe = probes[channels[number]]
        return find(probe, sound, $0, tap.sampleRate, within: pauses[number % pauses.count])
      }.map { (output: channels[number], channel: $0.channel, latency: $0.latency) }
    }
    let latencies = found.map(\.latency).sorted()
    let median = latencies.isEmpty ? .zero : latencies[latencies.count / 2]
    let agreeing = found.filter { abs(($0.latency - median).seconds) <= agreement }
    // Echoes of earlier sweeps agree with nothing, and one alone agrees with itself.
    result.isUncertain =
      !found.isEmpty && (agreeing.count < 2 || agreeing.count * 2 <= found.count)
    if result.isUncertain { return result }
    for one in agreeing {
      result.heard[one.output] = one.channel
      result.latencies.append(one.latency)
    }
    return result
  }

  /// Finds a sweep that was passed on at a time.
  private static func find(
    _ probe: [Float], _ sound: RecordedSound, _ begin: Int64, _ rate: Int, within pause: Double
  ) -> (channel: Int, latency: Duration)? {
    let start = sound.frames(at: begin)
    let end = min(sound.frames, start + Int(saturating: (duration + pause) * Double(rate)))
    guard start < end else { return nil }
    let matches = sound.channels.indices.compactMap { channel in
      Correlation.find(probe, in: Array(sound.channels[channel][start..<end])).map {
        (channel: channel, match: $0)
      }
    }
    guard let best = matches.max(by: { $0.match.likeness < $1.match.likeness }),
      best.match.likeness >= likeness,
      let arrival = sound.arrival(of: start + best.match.frame)
    else { return nil }
    return (best.channel, .nanoseconds(arrival - begin))
  }
}
