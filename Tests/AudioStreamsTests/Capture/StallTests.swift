import AudioSession
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

/// A device that is there and delivers nothing.
@Suite("A device that stalls", .bothServers, .timeLimit(.minutes(10)))
struct StallTests {
  @Test(
    "is told, ends a recording at its duration, and is heard again",
    arguments: StreamServersTests.servers)
  func stalls(_ kind: ServerKind) async throws {
    let configuration = try #require(
      SandboxConfiguration.simulatedCards(["kind=usb-mic"], on: kind))
    try await Rig.with(configuration) { rig in
      let device = try #require(
        try await rig.session.snapshot().devices(.input).first { $0.card != nil })
      let card = try #require(try await rig.session.snapshot().cards.first)
      let folder = TemporaryFolder()
      let recorder = rig.recorder()
      let events = recorder.capture.events
      // So long that also a busy machine says it before the end.
      try await recorder.start(
        folder.path + "/a.wav",
        configuration: RecordingConfiguration(duration: .seconds(10), device: device.name))
      #expect(await eventually { await recorder.progress.frames > 1000 })
      try await rig.sandbox.tell(card.name, "stall", "60000")
      let heard = await recorder.progress.frames
      let progress = try await recorder.finished()
      #expect(abs(progress.duration.seconds - 10) < 0.01, "\(progress)")
      let missing = progress.missing.reduce(0) { $0 + $1.frames }
      // All that follows, but for what was on its way: on a busy machine 2.7 s were.
      #expect(
        Double(Int64(missing) + heard) > 6 * Double(progress.sampleRate),
        "\(heard), \(progress.missing)"
      )
      #expect(progress.missing.allSatisfy { $0.cause == .overrun }, "\(progress.missing)")
      var error: StreamError?
      for await event in events {
        if case .error(let failure) = event { error = failure }
        if case .status(.ready, _) = event { break }
      }
      #expect(error?.code == .deviceNotAvailable)
      let message = error?.message ?? "none"
      #expect(
        try message.contains("'\(device.name)'")
          && /has delivered nothing for \d+ s/.firstMatch(in: message) != nil, "\(message)")
    }
  }

  @Test(
    "a recording that is stopped while it stalls is filled up to then",
    arguments: StreamServersTests.servers)
  func stopped(_ kind: ServerKind) async throws {
    let configuration = try #require(
      SandboxConfiguration.simulatedCards(["kind=usb-mic"], on: kind))
    try await Rig.with(configuration) { rig in
      let card = try #require(try await rig.session.snapshot().cards.first)
      let folder = TemporaryFolder()
      let recorder = rig.recorder()
      try await recorder.start(folder.path + "/a.wav")
      #expect(await eventually { await recorder.progress.frames > 1000 })
      try await rig.sandbox.tell(card.name, "stall", "60000")
      // What was on its way still comes.
      var last = (frames: await recorder.progress.frames, time: ContinuousClock.now)
      let isQuiet = await eventually(within: .seconds(40)) {
        let frames = await recorder.progress.frames
        if frames != last.frames { last = (frames, .now) }
        return ContinuousClock.now - last.time > .seconds(3)
      }
      #expect(isQuiet)
      let progress = try await recorder.stop()
      let missing = progress.missing.reduce(0) { $0 + $1.frames }
      #expect(Double(missing) > 2.7 * Double(progress.sampleRate), "\(progress)")
      #expect(progress.missing.last?.cause == .overrun, "\(progress.missing)")
      #expect(try SoundFileReader(path: folder.path + "/a.wav").frames == progress.frames)
    }
  }

  @Test("goes on when it delivers again", arguments: StreamServersTests.servers)
  func resumes(_ kind: ServerKind) async throws {
    let configuration = try #require(
      SandboxConfiguration.simulatedCards(["kind=usb-mic"], on: kind))
    try await Rig.with(configuration) { rig in
      let card = try #require(try await rig.session.snapshot().cards.first)
      let buffers = try await rig.capture.start(CaptureFaultTests.patient)
      var sound = await rig.collect(buffers, frames: 1600)
      let events = rig.capture.events
      try await rig.sandbox.tell(card.name, "stall", "60000")
      var seen: [CaptureStatus] = []
      let reading = Task { await rig.collect(buffers, frames: 16000 * 8) }
      for await event in events {
        if case .status(let status, _) = event { seen.append(status) }
        if seen == [.interrupted] { try await rig.sandbox.tell(card.name, "stall", "0") }
        if seen.contains(.streaming) { break }
      }
      #expect(seen == [.interrupted, .streaming])
      sound.buffers += await reading.value.buffers
      #expect(sound.isWhole)
      await rig.capture.stop()
    }
  }
}
