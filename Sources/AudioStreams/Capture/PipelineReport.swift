import POSIX
import PulseTypes

/// What any thread may read of a pipeline, and tell it.
final class PipelineReport: Sendable {
  private struct State {
    var failure: StreamError?
    var unfit: StreamError?
    var format: (sampleRate: Int, channels: Int)?
    var channelMap: ChannelMap?
    var device: String?
    var moves = 0
  }

  private let state = Guarded(State())

  /// The first failure; no sound is accepted after it.
  var failure: StreamError? {
    get { state.withLock { $0.failure } }
    set { state.withLock { $0.failure = $0.failure ?? newValue } }
  }

  /// Why the sound of the current tap cannot be converted; nil if it can.
  var unfit: StreamError? {
    get { state.withLock { $0.unfit } }
    set { state.withLock { $0.unfit = newValue } }
  }

  /// Rate and channels of the buffers; set with the first tap, then constant.
  var format: (sampleRate: Int, channels: Int)? {
    get { state.withLock { $0.format } }
    set { state.withLock { $0.format = newValue } }
  }

  /// What the channels of the buffers are, as far as that is known; set before the format.
  var channelMap: ChannelMap? {
    get { state.withLock { $0.channelMap } }
    set { state.withLock { $0.channelMap = newValue } }
  }

  /// How often the server has moved a tap.
  var moves: Int { state.withLock { $0.moves } }

  /// Notes that the device of the tap is not known.
  func noteMove() {
    state.withLock { state in
      state.device = nil
      state.moves += 1
    }
  }

  /// Allows the device of the tap, which the pipeline takes, unless the tap was moved again since.
  func allow(_ device: String, after moves: Int) {
    state.withLock { if $0.moves == moves { $0.device = device } }
  }

  func takeDevice() -> String? { state.withLock { $0.device.take() } }
}
