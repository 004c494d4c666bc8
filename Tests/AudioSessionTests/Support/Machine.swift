import AudioSession
import PulseSandbox
import Testing

/// A machine that a test runs on: a private server with a laptop's devices and a USB microphone.
struct Machine: Sendable, CustomTestStringConvertible {
  let kind: ServerKind
  let configuration: SandboxConfiguration
  let laptopInput: String
  let laptopOutput: String
  let usbInput: String

  var testDescription: String { kind.rawValue }
  var isGraph: Bool { kind == .pipewire }

  /// PulseAudio with simulated cards.
  static let desktop = Machine(
    kind: .pulseaudio, configuration: .demo, laptopInput: Names.laptopInput,
    laptopOutput: Names.laptopOutput, usbInput: Names.usbInput)

  /// PipeWire with simulated cards, at the other server's rate, so that the same mode is a change.
  static let graph: Machine = {
    var configuration = SandboxConfiguration.demo(on: .pipewire)
    configuration.defaultSampleRate = 44100
    return Machine(
      kind: .pipewire, configuration: configuration, laptopInput: Names.laptopInput,
      laptopOutput: Names.laptopOutput, usbInput: Names.usbInput)
  }()

  /// The same without what acts by itself on a desktop; PipeWire is nothing without WirePlumber.
  var quiet: SandboxConfiguration { isGraph ? configuration : .quiet }

  /// A machine of the kind with these simulated cards alone.
  func with(cards: [String]) throws -> SandboxConfiguration {
    var configuration = try #require(SandboxConfiguration.simulatedCards(cards, on: kind))
    if isGraph { configuration.defaultSampleRate = 44100 }
    return configuration
  }
}

extension AudioMode {
  /// `full` on the laptop's microphone of a machine. A device without ports satisfies any.
  static func full(on machine: Machine) -> AudioMode {
    var mode = AudioMode.full
    mode.preferredInput = [.name(machine.laptopInput)]
    return mode
  }

  /// The same on a port that is always plugged.
  static func fullInternal(on machine: Machine) -> AudioMode {
    var mode = AudioMode.fullInternal
    mode.preferredInput = [.name(machine.laptopInput)]
    return mode
  }
}
