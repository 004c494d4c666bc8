import ArgumentParser
import AudioStreams

/// A number of channels on the command line, or `mono`.
struct ChannelCount: ExpressibleByArgument {
  let channels: CaptureChannels

  init?(argument: String) {
    if argument == "mono" {
      channels = .mono
    } else if let count = Int(argument), (1...32).contains(count) {
      channels = count == 1 ? .mono : .count(count)
    } else {
      return nil
    }
  }
}
