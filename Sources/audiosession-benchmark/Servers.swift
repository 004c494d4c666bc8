import AudioSession
import PulseSandbox
import PulseTypes

/// Measures an apply and the restoration after a restart, on PulseAudio and on PipeWire in turn, with
/// devices that both have.
struct Servers {
  private let kind: ServerKind
  private let sandbox: PulseSandbox
  private let session: AudioSession
  private let clock = ContinuousClock()

  static func run(_ count: Int) async throws {
    print("the same on both servers, \(count) times each, in turn")
    for kind in [ServerKind.pulseaudio, .pipewire] {
      guard ServerProgram.isInstalled(kind) else {
        print("  \(kind.rawValue): not installed")
        continue
      }
      try await PulseSandbox.with(.nullDevices(on: kind)) { sandbox in
        let session = AudioSession(in: sandbox)
        let servers = Servers(kind: kind, sandbox: sandbox, session: session)
        try await servers.applies(count)
        try await servers.restarts(count)
        await session.close()
      }
    }
  }

  private var mode: AudioMode {
    var mode = AudioMode(category: .record)
    mode.preferredInput = ["usb_mic"]
    mode.channelMap = .swap
    mode.ioBufferDuration = .milliseconds(10)
    return mode
  }

  private func applies(_ count: Int) async throws {
    var (apply, again) = ([Duration](), [Duration]())
    for _ in 0..<count {
      try await session.setActive(false)
      apply.append(try await clock.measure { try await session.setAudioMode(mode) })
      again.append(try await clock.measure { try await session.setAudioMode(mode) })
    }
    row("applied and verified", apply)
    row("applied again: nothing to do", again)
  }

  private func restarts(_ count: Int) async throws {
    var times: [Duration] = []
    for _ in 0..<count {
      try await session.setAudioMode(mode)
      var events = session.events.makeAsyncIterator()
      try await sandbox.resetMediaServices()
      times.append(
        await clock.measure {
          while let event = await events.next() {
            if case .serverReset = event { break }
          }
        })
    }
    row("ready again to in effect again", times)
  }

  private func row(_ name: String, _ times: [Duration]) {
    let timings = Timings(times)
    Benchmark.row(
      "\(kind.rawValue): \(name)", timings, "p99 \(timings.worst(99))", width: 44)
  }
}
