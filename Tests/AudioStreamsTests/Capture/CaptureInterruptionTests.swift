import AudioSession
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

@Suite("A capture that something interrupts", .server, .timeLimit(.minutes(10)))
struct CaptureInterruptionTests {
  @Test("gives way to a call, and continues after it", arguments: [true, false])
  func call(hasMode: Bool) async throws {
    try await Rig.with(.sources) { rig in
      if hasMode { try await rig.session.setAudioMode(AudioMode(category: .record)) }
      let buffers = try await rig.capture.start(CaptureFaultTests.patient)
      var sound = await rig.collect(buffers, frames: 1600)
      // Another process's call, which lasts until it is killed.
      let call = Task {
        try await rig.sandbox.capture(
          ["pacat", "--property=media.role=phone", "/dev/zero"], timeout: .seconds(60))
      }
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      #expect(await eventually { await rig.capture.status == .interrupted })
      #expect(
        await eventually {
          (try? await outside.sourceOutputs().allSatisfy { $0.isCorked }) == true
        })
      call.cancel()
      _ = try? await call.value
      #expect(await eventually { await rig.capture.isStreaming })
      sound.buffers += await rig.collect(buffers, frames: 1600).buffers
      #expect(sound.isWhole)
      #expect(sound.lost == 0)
      await outside.close()
    }
  }

  @Test(
    "continues when the server restarts during a call",
    arguments: [ReapplyPolicy?.none, .always, .never])
  func restart(_ policy: ReapplyPolicy?) async throws {
    try await Rig.with(.sources) { rig in
      if let policy {
        var mode = AudioMode(category: .record)
        mode.reapply = policy
        try await rig.session.setAudioMode(mode)
      }
      let buffers = try await rig.capture.start(CaptureFaultTests.patient)
      var sound = await rig.collect(buffers, frames: 1600)
      // It ends with the server.
      try await rig.sandbox.interrupt()
      #expect(await eventually { await rig.capture.status == .interrupted })
      try await rig.sandbox.kill()
      try await rig.sandbox.restart()
      #expect(await eventually { await rig.capture.isStreaming })
      sound.buffers += await rig.collect(buffers, frames: 1600).buffers
      #expect(sound.isWhole)
    }
  }

  @Test("does not continue after a call during which the mode ended")
  func modeEnds() async throws {
    try await Rig.with(.sources) { rig in
      try await rig.session.setAudioMode(AudioMode(category: .record))
      let buffers = try await rig.capture.start(CaptureFaultTests.patient)
      await rig.session.noteCorkRequest(toPause: true)
      #expect(await eventually { await rig.capture.status == .interrupted })
      try await rig.session.setActive(false)
      let events = rig.session.events
      await rig.session.noteCorkRequest(toPause: false)
      for await case .interruptionEnded(let shouldResume) in events {
        #expect(!shouldResume)
        break
      }
      #expect(await rig.capture.status == .interrupted)
      withExtendedLifetime(buffers) {}
    }
  }

  /// Unplugs all inputs, and then begins a call.
  private func beginCallWithoutInput(_ rig: Rig, _ outside: PulseClient) async throws {
    for module in try await outside.modules().reversed() where module.name == "module-null-source" {
      try await outside.unloadModule(module.index)
    }
    #expect(await eventually { await rig.capture.status == .interrupted })
    await rig.session.noteCorkRequest(toPause: true)
    #expect(await eventually { await rig.capture.hasGivenWay })
  }

  @Test("does not record a call that began while there was no input")
  func callWithoutInput() async throws {
    try await Rig.with(.sources) { rig in
      try await rig.session.setAudioMode(AudioMode(category: .record))
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      let buffers = try await rig.capture.start(CaptureFaultTests.patient)
      var sound = await rig.collect(buffers, frames: 1600)
      try await beginCallWithoutInput(rig, outside)
      _ = try await outside.loadModule("module-null-source", "source_name=one rate=44100")
      #expect(try await eventually { try await outside.source(named: "one") != nil })
      // The session has looked at the new input.
      #expect(
        await eventually {
          (try? await rig.session.snapshot())?.device(.input, named: "one") != nil
        })
      let streams = try await outside.sourceOutputs()
      let capture = await (rig.capture.status, rig.capture.lastTap, rig.capture.run?.isWaiting)
      #expect(streams.isEmpty, "\(streams), \(capture)")
      #expect(await rig.capture.run?.tap == nil)
      await rig.session.noteCorkRequest(toPause: false)
      #expect(await eventually { await rig.capture.isStreaming })
      sound.buffers += await rig.collect(buffers, frames: 1600).buffers
      #expect(sound.isWhole)
      await outside.close()
    }
  }

  @Test(
    "does not record a call that began before the capture, whether or not the session has told of it",
    arguments: [true, false])
  func callBeforeStart(isTold: Bool) async throws {
    try await Rig.with(.sources) { rig in
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      let events = rig.session.events
      if isTold { try await rig.session.setAudioMode(AudioMode(category: .record)) }
      let call = try await rig.sandbox.interrupt()
      if isTold { for await case .interruptionBegan(.call) in events { break } }
      let buffers = try await rig.capture.start(CaptureFaultTests.patient)
      #expect(await rig.capture.status == .interrupted)
      #expect(try await outside.sourceOutputs().isEmpty)
      await call.stop()
      #expect(await eventually { await rig.capture.isStreaming })
      let sound = await rig.collect(buffers, frames: 1600)
      #expect(sound.isWhole && sound.lost == 0)
      await outside.close()
    }
  }

  @Test("opens no other tap once a call has begun, even before it has been told of the call")
  func changeDuringCall() async throws {
    try await Rig.with(.sources) { rig in
      try await rig.session.setAudioMode(AudioMode(category: .record))
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      let buffers = try await rig.capture.start(CaptureFaultTests.patient)
      var sound = await rig.collect(buffers, frames: 1600)
      await rig.session.noteCorkRequest(toPause: true)
      // As after a change of the route.
      await rig.capture.react { await $0.tapAgain(after: .routeChange) }
      #expect(await rig.capture.run?.tap == nil)
      #expect(await rig.capture.status == .interrupted)
      #expect(try await outside.sourceOutputs().isEmpty)
      await rig.session.noteCorkRequest(toPause: false)
      #expect(await eventually { await rig.capture.isStreaming })
      sound.buffers += await rig.collect(buffers, frames: 1600).buffers
      #expect(sound.isWhole)
      await outside.close()
    }
  }

  @Test("records a call during which it was resumed, from other inputs too, and not the next call")
  func resumedDuringCall() async throws {
    try await Rig.with(.sources) { rig in
      try await rig.session.setAudioMode(AudioMode(category: .record))
      let buffers = try await rig.capture.start(CaptureFaultTests.patient)
      await rig.session.noteCorkRequest(toPause: true)
      #expect(await eventually { await rig.capture.hasGivenWay })
      try await rig.capture.resume()
      await rig.capture.react { await $0.tapAgain(after: .routeChange) }
      #expect(await rig.capture.isStreaming)
      await rig.session.noteCorkRequest(toPause: false)
      #expect(await eventually { await rig.capture.run?.recordsCall == false })
      await rig.session.noteCorkRequest(toPause: true)
      await rig.capture.react { await $0.tapAgain(after: .routeChange) }
      #expect(await rig.capture.status == .interrupted)
      withExtendedLifetime(buffers) {}
    }
  }

  @Test("does not record a call that began while it was paused")
  func callDuringPause() async throws {
    try await Rig.with(.sources) { rig in
      try await rig.session.setAudioMode(AudioMode(category: .record))
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      let events = rig.session.events
      let buffers = try await rig.capture.start(CaptureFaultTests.patient)
      var sound = await rig.collect(buffers, frames: 1600)
      try await rig.capture.pause()
      let call = try await rig.sandbox.interrupt()
      for await case .interruptionBegan(.call) in events { break }
      try await rig.capture.resume()
      #expect(await rig.capture.status == .interrupted)
      #expect(try await outside.sourceOutputs().isEmpty)
      await call.stop()
      #expect(await eventually { await rig.capture.isStreaming })
      sound.buffers += await rig.collect(buffers, frames: 1600).buffers
      #expect(sound.isWhole && sound.lost == 0)
      await outside.close()
    }
  }

  @Test("a recording that starts during a call has its input's format, and begins after the call")
  func recordingDuringCall() async throws {
    try await Rig.with(.sources) { rig in
      let folder = TemporaryFolder()
      let call = try await rig.sandbox.interrupt()
      let recorder = rig.recorder()
      try await recorder.start(
        folder.path + "/a.wav", configuration: RecordingConfiguration(device: "two"))
      #expect(await recorder.capture.status == .interrupted)
      #expect(await recorder.progress.sampleRate == 48000)
      #expect(await recorder.progress.channels == 2)
      await call.stop()
      #expect(await eventually { await recorder.progress.frames > 4800 })
      #expect(try await recorder.stop().missing.isEmpty)
    }
  }

  @Test("an input that is plugged in during the call before it is not recorded either")
  func inputDuringCall() async throws {
    try await Rig.with(.monitorOnly) { rig in
      var mode = AudioMode(category: .record)
      mode.inputRequired = false
      try await rig.session.setAudioMode(mode)
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      let call = try await rig.sandbox.interrupt()
      let buffers = try await rig.capture.start(CaptureFaultTests.patient)
      #expect(await eventually { await rig.capture.hasGivenWay })
      _ = try await outside.loadModule("module-null-source", "source_name=one rate=44100")
      #expect(
        await eventually {
          (try? await rig.session.snapshot())?.device(.input, named: "one") != nil
        })
      #expect(try await outside.sourceOutputs().isEmpty)
      await call.stop()
      #expect(await eventually { await rig.capture.isStreaming })
      #expect(await rig.collect(buffers, frames: 1600).isWhole)
      await outside.close()
    }
  }

  @Test("waits for a suspended device, and tells what is missing")
  func suspended() async throws {
    try await Rig.with(.sources) { rig in
      try await rig.session.setAudioMode(AudioMode(category: .record))
      let buffers = try await rig.capture.start(CaptureFaultTests.patient)
      var sound = await rig.collect(buffers, frames: 1600)
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      let name = try #require(try await outside.serverInfo().defaultSourceName)
      try await outside.suspend(.input, device: name, true)
      let began = HostClock.now
      #expect(await eventually { await rig.capture.status == .interrupted })
      // Less than a fragment could not be told from a clock that was read late.
      #expect(await eventually { HostClock.now - began > .milliseconds(100) })
      try await outside.suspend(.input, device: name, false)
      #expect(await eventually { await rig.capture.isStreaming })
      sound.buffers += await rig.collectPastGap(buffers).buffers
      #expect(sound.isWhole)
      #expect(sound.missing.map(\.cause) == [.suspended])
      await outside.close()
    }
  }

  @Test("is not interrupted by an output that is suspended, and continues beside one after a call")
  func suspendedOutput() async throws {
    var machine = SandboxConfiguration.sources
    machine.modules.append("module-null-sink sink_name=other")
    machine.commands = ["set-default-sink speakers"]
    try await Rig.with(machine) { rig in
      try await rig.session.setAudioMode(AudioMode(category: .playAndRecord))
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      let music = try await outside.openStream(
        StreamOptions(
          direction: .output, name: "music", device: "speakers",
          spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: false))
      let (events, interruptions) = (rig.capture.events, rig.session.events)
      let buffers = try await rig.capture.start(CaptureFaultTests.patient)
      var sound = await rig.collect(buffers, frames: 1600)
      try await rig.sandbox.suspend("speakers")
      let began = SessionEvent.interruptionBegan(.deviceSuspended("speakers"))
      for await event in interruptions where event == began { break }
      try await rig.sandbox.resume("speakers")
      for await event in interruptions where event == .interruptionEnded(shouldResume: true) {
        break
      }
      try await rig.sandbox.suspend("speakers")
      for await event in interruptions where event == began { break }
      let call = try await rig.sandbox.interrupt(on: "other")
      #expect(await eventually { await rig.capture.run?.tap == nil })
      await call.stop()
      #expect(await eventually { await rig.capture.isStreaming })
      sound.buffers += await rig.collect(buffers, frames: 1600).buffers
      #expect(sound.isWhole && sound.lost == 0)
      await rig.capture.stop()
      var seen: [CaptureStatus] = []
      for await case .status(let status, _) in events where status != .starting {
        seen.append(status)
        if status == .ready { break }
      }
      #expect(seen == [.streaming, .interrupted, .streaming, .stopped, .ready])
      await music.close()
      await outside.close()
    }
  }

  @Test("waits for its input again after a call, also without a mode")
  func callWithoutMode() async throws {
    try await Rig.with(.sources) { rig in
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      let buffers = try await rig.capture.start(CaptureFaultTests.patient)
      var sound = await rig.collect(buffers, frames: 1600)
      try await beginCallWithoutInput(rig, outside)
      await rig.session.noteCorkRequest(toPause: false)
      #expect(await eventually { await rig.capture.run?.isWaiting == true })
      _ = try await outside.loadModule("module-null-source", "source_name=one rate=44100")
      #expect(await eventually { await rig.capture.isStreaming })
      sound.buffers += await rig.collectPastGap(buffers).buffers
      #expect(sound.isWhole && sound.lost > 0)
      await outside.close()
    }
  }

  @Test("is interrupted also after its session was closed and opened again")
  func reopened() async throws {
    try await Rig.with(.sources) { rig in
      var configuration = SessionConfiguration(
        timeout: .seconds(20), storeFolder: rig.sandbox.directory + "/own")
      configuration.reopens = true
      let shared = AudioSession(server: rig.sandbox.address, configuration: configuration)
      let capture = AudioCapture(session: shared)
      for _ in 0..<2 {
        let buffers = try await capture.start()
        await shared.noteCorkRequest(toPause: true)
        #expect(await eventually { await capture.status == .interrupted })
        await shared.noteCorkRequest(toPause: false)
        #expect(await eventually { await capture.isStreaming })
        await shared.close()
        for await _ in buffers {}
      }
    }
  }

  /// Two inputs of one format.
  private static var twins: SandboxConfiguration {
    var machine = SandboxConfiguration(modules: [
      "module-null-sink sink_name=speakers rate=44100",
      "module-null-source source_name=one rate=44100 channels=2",
      "module-null-source source_name=two rate=44100 channels=2",
    ])
    machine.commands = ["set-default-source one"]
    return machine
  }

  @Test("is not interrupted by a suspended device that others use once it was moved from there")
  func movedFromSuspended() async throws {
    try await Rig.with(Self.twins) { rig in
      try await rig.session.setAudioMode(AudioMode(category: .record))
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      let other = try await outside.openStream(
        StreamOptions(
          direction: .input, name: "other", device: "one",
          spec: SampleSpec(format: .s16le, rate: 44100, channels: 2), startCorked: false))
      let buffers = try await rig.capture.start(CaptureFaultTests.patient)
      _ = await rig.collect(buffers, frames: 1600)
      try await rig.sandbox.suspend("one")
      #expect(await eventually { await rig.capture.status == .interrupted })
      let stream = try #require(
        try await outside.sourceOutputs().first { $0.name == "Audio capture" })
      try await outside.moveStream(.input, stream.index, to: "two")
      #expect(await eventually { await rig.capture.isStreaming })
      #expect(try await outside.source(named: "one")?.state == .suspended)
      await other.close()
      await outside.close()
    }
  }

  @Test("is no longer suspended once the server has moved it to a device that runs")
  func movedWhileSuspended() async throws {
    try await Rig.with(Self.twins) { rig in
      var configuration = CaptureFaultTests.patient
      configuration.includesRest = true
      let buffers = try await rig.capture.start(configuration)
      _ = await rig.collect(buffers, frames: 1600)
      try await rig.sandbox.suspend("one")
      let moved = try await rig.sandbox.capture([
        "sh", "-c",
        "pactl move-source-output $(pactl list short source-outputs | cut -f 1) two",
      ])
      #expect(moved.status == 0, "\(moved.standardError)")
      for await buffer in buffers where buffer.device == "two" { break }
      var sound = await rig.collect(buffers, frames: 3200)
      await rig.capture.stop()
      for await buffer in buffers { sound.buffers.append(buffer) }
      // A busy machine may lose some, too.
      #expect(
        sound.isWhole && sound.missing.allSatisfy { $0.cause == .overrun }, "\(sound.missing)")
    }
  }
}
