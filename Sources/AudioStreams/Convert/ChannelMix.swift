import CAudioKernel
import PulseTypes

/// The matrix from the input's channels to the output's.
struct ChannelMix {
  let inputs: Int
  let outputs: Int
  /// One row per output channel.
  private let matrix: [Float]
  let isIdentity: Bool

  private init(inputs: Int, outputs: Int, _ matrix: [Float]) {
    (self.inputs, self.outputs, self.matrix) = (inputs, outputs, matrix)
    isIdentity =
      outputs == inputs
      && matrix.indices.allSatisfy { index in
        matrix[index] == (index / inputs == index % inputs ? 1 : 0)
      }
  }

  /// Mixes by position, as servers do: a channel without its counterpart goes to those of its side, one
  /// in the middle to both sides, and the subwoofer's to none.
  init(_ sources: ChannelMap, to targets: ChannelMap) {
    let rows = targets.positions.map { target in
      sources.positions.map { source -> Float in
        if source == target || source == .mono || target == .mono { return 1 }
        let hasOwn = sources.positions.contains(target)
        if hasOwn && targets.positions.contains(source) || source == .lfe || target == .lfe {
          return 0
        }
        let sides = abs(source.side - target.side)
        // The middle has its own sound, or that of both sides.
        return sides == 0 ? 1 : sides == 1 && !(hasOwn && target.side == 0) ? 0.5 : 0
      }
    }
    let loudest = max(1, rows.map { $0.reduce(0, +) }.max() ?? 1)
    self.init(
      inputs: sources.count, outputs: targets.count, rows.flatMap { $0.map { $0 / loudest } })
  }

  /// Mixes channels that nothing names: each goes to the output's channel of its number; where the output has
  /// fewer, channel *i* is the average of the channels i, i + n, …, and where it has more, the rest is silent.
  init(numbered inputs: Int, to outputs: Int) {
    let rows = (0..<outputs).map { output in
      let sources = stride(from: output, to: inputs, by: outputs)
      let share = 1 / Float(max(1, Array(sources).count))
      return (0..<inputs).map { $0 % outputs == output ? share : 0 }
    }
    self.init(inputs: inputs, outputs: outputs, rows.flatMap(\.self))
  }

  /// Makes a mix; throws if the input does not have a channel.
  init(_ channels: CaptureChannels, inputs: Int) throws(StreamError) {
    let outputs =
      switch channels {
      case .device: inputs
      case .count(let count): count
      case .mono, .channel: 1
      }
    var matrix = [Float](repeating: 0, count: inputs * outputs)
    if case .channel(let channel) = channels {
      guard (0..<inputs).contains(channel) else {
        throw StreamError(
          .invalidFormat, "the input has no channel \(channel); it has 0 to \(inputs - 1)")
      }
      matrix[channel] = 1
    } else {
      for output in 0..<outputs {
        let sources =
          outputs <= inputs
          ? Array(stride(from: output, to: inputs, by: outputs)) : [output % inputs]
        for input in sources { matrix[output * inputs + input] = 1 / Float(sources.count) }
      }
    }
    self.init(inputs: inputs, outputs: outputs, matrix)
  }

  /// Mixes whole frames into the scratch memory.
  func apply(
    _ input: UnsafeBufferPointer<Float>, _ scratch: Scratch
  ) -> UnsafeBufferPointer<Float> {
    let frames = input.count / inputs
    let output = scratch.reserve(frames * outputs)
    ak_mix(input.baseAddress, inputs, output.baseAddress, outputs, matrix, frames)
    return UnsafeBufferPointer(rebasing: output[..<(frames * outputs)])
  }
}

extension ChannelPosition {
  /// -1 for left, 1 for right, 0 for the middle.
  fileprivate var side: Int {
    rawValue.contains("left") ? -1 : rawValue.contains("right") ? 1 : 0
  }
}
