internal import Pulse

/// What a tap has recorded: the sound, and when each part of it came.
package final class Recording: @unchecked Sendable {  // everything is behind `lock`
  private let lock = Lock()
  private var pieces: [DeviceTap.Piece] = []

  /// Makes an empty recording; `add` is a tap's handler.
  package init() {}

  /// Appends a piece.
  package func add(_ piece: DeviceTap.Piece) { lock.withLock { pieces.append(piece) } }

  /// Waits until a tenth of a second has come, or nothing does for three.
  func settles(_ tap: DeviceTap) async {
    let deadline = ContinuousClock.now + .seconds(3)
    while ContinuousClock.now < deadline, !Task.isCancelled,
      sound(channels: tap.channels).frames < tap.sampleRate / 10
    {
      try? await Task.sleep(for: .milliseconds(10))
    }
  }

  /// What has come so far.
  package func sound(channels: Int) -> RecordedSound {
    RecordedSound(lock.withLock { pieces }, channels: channels)
  }
}

/// Recorded sound: a list of samples a channel, and when they came.
package struct RecordedSound: Sendable {
  /// One list a channel, all of a length.
  package var channels: [[Float]] = []
  /// When so many frames had come, after each delivery of the server.
  package var arrivals: [(time: Int64, frames: Int)] = []
  /// Frames that are missing.
  package var lost = 0

  init(_ pieces: [DeviceTap.Piece], channels count: Int) {
    channels = (0..<count).map { channel in
      var list: [Float] = []
      for (number, piece) in pieces.enumerated() {
        // What is missing is silence, so that a place in the list stays a place in time.
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
      // What is lost before the first piece was never meant to come.
      if number > 0 {
        lost += piece.lost
        total += piece.lost
      }
      if piece.isContinued, !arrivals.isEmpty { arrivals.removeLast() }
      arrivals.append((piece.arrival, total))
    }
  }

  /// Frames of each channel.
  package var frames: Int { channels.first?.count ?? 0 }

  /// How many frames came with each delivery, the first left out: it may be old.
  package var deliveries: [Int] {
    zip(arrivals, arrivals.dropFirst()).map { $1.frames - $0.frames }
  }

  /// The frames of an ordinary delivery; nil where there was none.
  package var usualDelivery: Int? {
    let sorted = deliveries.sorted()
    return sorted.isEmpty ? nil : sorted[sorted.count / 2]
  }

  /// The rate that the frames came at; nil where there were too few deliveries. The first tenth of a
  /// second is left out: the device may still be changing its buffer.
  package var rate: ClockFit? {
    guard let first = arrivals.first else { return nil }
    return ClockFit(arrivals.filter { $0.time >= first.time + 100_000_000 })
  }

  /// When the delivery came that holds a frame; nil for one that has not come.
  package func arrival(of frame: Int) -> Int64? { arrivals.first { $0.frames > frame }?.time }

  /// How many frames had come at a time.
  package func frames(at time: Int64) -> Int { arrivals.last { $0.time <= time }?.frames ?? 0 }
}
