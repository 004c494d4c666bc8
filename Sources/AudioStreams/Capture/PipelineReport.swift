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
    var found: [FoundZeros] = []
    var unjudged: [FoundZeros] = []
    var unexplained: [ZeroFrames] = []
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

  /// How often the server has moved a tap, or another one was opened.
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

  /// Notes zeros amid sound, for `takeFound` and `judge`.
  func note(_ zeros: FoundZeros) {
    state.withLock {
      $0.found.append(zeros)
      $0.unjudged.append(zeros)
    }
  }

  /// The zeros amid sound that were found since the last call.
  func takeFound() -> [FoundZeros] {
    state.withLock { state -> [FoundZeros] in
      defer { state.found = [] }
      return state.found
    }
  }

  /// The zeros amid sound that were not judged yet.
  var unjudged: [FoundZeros] { state.withLock { $0.unjudged } }

  /// Lists zeros that no report of the server explains, unless the tap was moved or replaced since.
  func judge(_ found: FoundZeros, isExplained: Bool) {
    state.withLock { state in
      guard let place = state.unjudged.firstIndex(of: found) else { return }
      state.unjudged.remove(at: place)
      if !isExplained, state.moves == found.moves { state.unexplained.append(found.zeros) }
    }
  }

  /// The zeros that were listed since the last call.
  func takeUnexplained() -> [ZeroFrames] {
    state.withLock { state -> [ZeroFrames] in
      defer { state.unexplained = [] }
      return state.unexplained
    }
  }
}
