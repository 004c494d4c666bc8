import POSIX

/// The sound that a tap has recorded, and when each part arrived.
package final class Recording: Sendable {
  private let pieces = Guarded<[DeviceTap.Piece]>([])
  private let end = Guarded<StreamError?>(nil)

  /// Makes an empty recording; use `add` as a tap's handler.
  package init() {}

  package func add(_ piece: DeviceTap.Piece) { pieces.withLock { $0.append(piece) } }

  /// Notes the end of the tap, with the error that ended it, if any.
  func noteEnd(_ error: StreamError?) { end.withLock { $0 = $0 ?? error } }

  /// The error that ended the tap.
  var failure: StreamError? { end.withLock { $0 } }

  /// Waits until a tenth of a second has arrived, or three seconds have passed without sound.
  func settles(_ tap: DeviceTap) async {
    let deadline = ContinuousClock.now + .seconds(3)
    while ContinuousClock.now < deadline, !Task.isCancelled, failure == nil,
      sound(channels: tap.channels).frames < tap.sampleRate / 10
    {
      try? await Task.sleep(for: .milliseconds(10))
    }
  }

  /// The sound so far.
  package func sound(channels: Int) -> RecordedSound {
    RecordedSound(pieces.withLock { $0 }, channels: channels)
  }
}
