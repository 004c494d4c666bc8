import CAudioKernel

/// The channels of a capture.
public enum CaptureChannels: Sendable, Hashable {
  /// One channel, the average of all.
  case mono
  /// One channel of the input, counted from 0.
  case channel(Int)
  /// A number *n* of channels: channel *i* is the average of the input's channels i, i + n, …; if
  /// the input has fewer, they repeat.
  case count(Int)
  /// As many as the input has when the capture starts.
  case device
}

/// The matrix from the input's channels to the output's.
struct ChannelMix {
  let inputs: Int
  let outputs: Int
  /// One row per output channel.
  private let matrix: [Float]
  let isIdentity: Bool

  /// Makes a mix; throws if the input does not have a channel.
  init(_ channels: CaptureChannels, inputs: Int) throws(StreamError) {
    self.inputs = inputs
    switch channels {
    case .device: outputs = inputs
    case .count(let count): outputs = count
    case .mono, .channel: outputs = 1
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
    self.matrix = matrix
    isIdentity =
      outputs == inputs
      && matrix.indices.allSatisfy { index in
        matrix[index] == (index / inputs == index % inputs ? 1 : 0)
      }
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
