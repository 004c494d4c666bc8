/// Recorded sound: a list of samples per channel, and their arrival times.
package struct RecordedSound: Sendable {
  /// One list per channel, all of the same length.
  package var channels: [[Float]] = []
  /// The number of frames after each delivery of the server.
  package var arrivals: [(time: Int64, frames: Int)] = []
  /// The number of lost frames.
  package var lost = 0

  init(_ pieces: [DeviceTap.Piece], channels count: Int) {
    channels = (0..<count).map { channel in
      var list: [Float] = []
      for (number, piece) in pieces.enumerated() {
        // Lost frames become silence, so that a position in the list is a position in time.
        if number > 0 { list += [Float](repeating: 0, count: piece.lost) }
        for at in stride(from: channel, to: piece.samples.count, by: count) {
          list.append(piece.samples[at])
        }
      }
      return list
    }
    var total = 0
    for (number, piece) in pieces.enumerated() {
      total += piece.samples.count / max(1, count)
      // Frames that are lost before the first piece do not count.
      if number > 0 {
        lost += piece.lost
        total += piece.lost
      }
      if piece.isContinued, !arrivals.isEmpty { arrivals.removeLast() }
      arrivals.append((piece.arrival, total))
    }
  }

  /// The number of frames per channel.
  package var frames: Int { channels.first?.count ?? 0 }

  /// The number of frames of each delivery, without the first one, which may be old.
  package var deliveries: [Int] {
    zip(arrivals, arrivals.dropFirst()).map { $1.frames - $0.frames }
  }

  /// The number of frames of a usual delivery; nil if there was none.
  package var usualDelivery: Int? {
    let sorted = deliveries.sorted()
    return sorted.isEmpty ? nil : sorted[sorted.count / 2]
  }

  /// The number of frames of a usual cycle; nil if there was none. Pieces that follow each other
  /// sooner than half of their length are parts of one cycle.
  package func usualCycle(sampleRate: Int) -> Int? {
    var cycles: [Int] = []
    for (last, next) in zip(arrivals, arrivals.dropFirst()) {
      let frames = next.frames - last.frames
      let isApart = next.time - last.time > Int64(frames) * 500_000_000 / Int64(max(1, sampleRate))
      if isApart || cycles.isEmpty {
        cycles.append(frames)
      } else {
        cycles[cycles.count - 1] += frames
      }
    }
    // The last one may be incomplete.
    return cycles.dropLast().sorted().dropFirst((cycles.count - 1) / 2).first
  }

  /// The rate of the frames; nil after too few deliveries. Ignores the first tenth of a second,
  /// when the device may still change its buffer.
  package var rate: ClockFit? {
    guard let first = arrivals.first else { return nil }
    return ClockFit(arrivals.filter { $0.time >= first.time + 100_000_000 })
  }

  /// The lost frames, also of cycles that PipeWire replaced by zeros and did not report.
  func lostFrames(onPipeWire: Bool, sampleRate: Int) -> Int {
    guard onPipeWire, frames > 0 else { return lost }
    var cycles = LostCycles(channels: channels.count, rate: sampleRate)
    var replaced = 0
    let samples = (0..<frames).flatMap { frame in channels.map { $0[frame] } }
    try? samples.withUnsafeBufferPointer { samples in
      try cycles.take(samples) { part, _ in
        if case .lost(let frames) = part { replaced += frames }
      }
    }
    // What was reported is silence in these lists, too.
    return max(lost, replaced)
  }

  /// The arrival time of a frame; nil if it has not arrived.
  package func arrival(of frame: Int) -> Int64? { arrivals.first { $0.frames > frame }?.time }

  package func frames(at time: Int64) -> Int { arrivals.last { $0.time <= time }?.frames ?? 0 }
}
