import AudioSession
import Glibc
import POSIX
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

@Suite("A capture whose input goes", .server, .timeLimit(.minutes(10)))
struct CaptureFaultTests {
  /// 100 by hand: AUDIOSESSION_FAULTS=100.
  static let times = ProcessEnvironment["AUDIOSESSION_FAULTS"].flatMap { Int($0) } ?? 3

  /// However busy the machine is, what is missing is the fault's doing and not the reader's.
  static let patient = CaptureConfiguration(frameLength: 160, backlog: .seconds(60))

  @Test(
    "goes on after each restart of the server, and knows what is missing", arguments: [true, false])
  func restarts(isHolding: Bool) async throws {
    try await Rig.with(.sources, isHolding: isHolding) { rig in
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name("one")]
      try await rig.session.setAudioMode(mode)
      let buffers = try await rig.capture.start(Self.patient)
      var sound = await rig.collect(buffers, frames: Self.settled)
      for _ in 0..<Self.times {
        try await rig.sandbox.kill()
        try await rig.sandbox.restart()
        sound.buffers += await rig.collectPastGap(buffers).buffers
      }
      #expect(sound.isWhole)
      let resets = sound.missing.filter { $0.cause == .serverReset }
      #expect(resets.count == Self.times, "\(sound.missing)")
      sound.buffers += await rig.collect(buffers, frames: Self.settled).buffers
      sound.expectTrueTime()
      #expect(await rig.capture.streamStatistics.violations == 0)
    }
  }

  @Test("goes on when a frozen server is thawed, and accounts for every frame")
  func freezes() async throws {
    try await Rig.with(.sources) { rig in
      let buffers = try await rig.capture.start(Self.patient)
      var sound = await rig.collect(buffers, frames: Self.settled)
      for _ in 0..<Self.times {
        try await rig.sandbox.freeze()
        try await Task.sleep(for: .milliseconds(100))  // the length of the freeze is what is tested
        try await rig.sandbox.thaw()
        sound.buffers += await rig.collect(buffers, frames: 3200).buffers
      }
      sound.buffers += await rig.collect(buffers, frames: Self.settled).buffers
      #expect(sound.isWhole)
      sound.expectTrueTime()
      #expect(await rig.capture.status == .streaming)
      #expect(await rig.capture.streamStatistics.violations == 0)
    }
  }

  @Test("follows the route to a device with another rate")
  func routeChange() async throws {
    try await Rig.with(.sources) { rig in
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      try await outside.setDefaultSource("one")
      let events = rig.capture.events
      let buffers = try await rig.capture.start(Self.patient)
      var sound = await rig.collect(buffers, frames: Self.settled)
      for turn in 0..<Self.times {
        try await outside.setDefaultSource(turn % 2 == 0 ? "two" : "one")
        let rate = turn % 2 == 0 ? 48000 : 44100
        for await event in events {
          if case .tapped(rate, 2) = event { break }
        }
        sound.buffers += await rig.collect(buffers, frames: 1600).buffers
      }
      #expect(sound.isWhole)
      #expect(sound.missing.allSatisfy { $0.cause == .routeChange }, "\(sound.missing)")
      sound.buffers += await rig.collect(buffers, frames: Self.settled).buffers
      sound.expectTrueTime()
      await outside.close()
    }
  }

  @Test("keeps the order of its channels when an input with another one follows")
  func channelOrder() async throws {
    var machine = SandboxConfiguration(modules: [
      "module-null-sink sink_name=speakers rate=44100",
      "module-null-source source_name=one rate=44100 channels=4"
        + " channel_map=front-left,front-right,rear-left,rear-right",
      "module-null-source source_name=two rate=48000 channels=4"
        + " channel_map=front-left,rear-left,front-right,rear-right",
    ])
    machine.commands = ["set-default-source one"]
    try await Rig.with(machine) { rig in
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      let events = rig.capture.events
      var configuration = Self.patient
      configuration.channels = .device
      let buffers = try await rig.capture.start(configuration)
      _ = await rig.collect(buffers, frames: 1600)
      func order() async throws -> [ChannelPosition]? {
        try await outside.sourceOutputs().first { $0.name == "Audio capture" }?.channelMap.positions
      }
      let first = try await order()
      #expect(first == [.frontLeft, .frontRight, .rearLeft, .rearRight])
      try await outside.setDefaultSource("two")
      for await case .tapped(48000, 4) in events { break }
      #expect(try await order() == first)
      await outside.close()
    }
  }

  @Test("waits for an input where there is none left")
  func unplugged() async throws {
    try await Rig.with(.sources) { rig in
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      let buffers = try await rig.capture.start(Self.patient)
      var sound = await rig.collect(buffers, frames: Self.settled)
      for _ in 0..<Self.times {
        // The one that is used last: it would be left for the other.
        for module in try await outside.modules().reversed()
        where module.name == "module-null-source" {
          try await outside.unloadModule(module.index)
        }
        #expect(await eventually { await rig.capture.status == .interrupted })
        _ = try await outside.loadModule("module-null-source", "source_name=one rate=44100")
        sound.buffers += await rig.collectPastGap(buffers).buffers
        #expect(await eventually { await rig.capture.isStreaming })
      }
      #expect(sound.isWhole)
      #expect(
        sound.missing.count { $0.cause == .routeChange } == Self.times, "\(sound.missing)")
      sound.buffers += await rig.collect(buffers, frames: Self.settled).buffers
      sound.expectTrueTime()
      await outside.close()
    }
  }

  @Test("hears nothing of what is played when the last input goes")
  func monitorInstead() async throws {
    // Its monitor hears the tone as it is played.
    var machine = SandboxConfiguration.sources
    machine.modules[0] += " norewinds=1"
    try await Rig.with(machine) { rig in
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      let tone = try await TonePlayer(
        [.init(seconds: 60, from: 1000, to: 1000, amplitude: 0.5)], server: rig.session.address,
        device: "speakers")
      let listener = try await Listener.on("speakers.monitor", rig.sandbox)
      #expect(await eventually { listener.firstSound(louderThan: 0.1) != nil })
      let buffers = try await rig.capture.start(Self.patient)
      var sound = await rig.collect(buffers, frames: Self.settled)
      for _ in 0..<Self.times {
        // It has something else to do when the server moves it to the monitor.
        let isBusy = Shared(false)
        let work = Task {
          await rig.capture.react { _ in
            isBusy.update { $0 = true }
            let began = HostClock.now
            _ = await eventually { HostClock.now - began > .milliseconds(500) }
          }
        }
        #expect(await eventually { isBusy.value })
        for module in try await outside.modules().reversed()
        where module.name == "module-null-source" {
          try await outside.unloadModule(module.index)
        }
        await work.value
        #expect(await eventually { await rig.capture.status == .interrupted })
        _ = try await outside.loadModule("module-null-source", "source_name=one rate=44100")
        sound.buffers += await rig.collectPastGap(buffers).buffers
        #expect(await eventually { await rig.capture.isStreaming })
      }
      #expect(sound.buffers.map(\.peak).max() == 0)
      #expect(sound.isWhole)
      sound.buffers += await rig.collect(buffers, frames: Self.settled).buffers
      sound.expectTrueTime()
      await listener.close()
      await tone.close()
      await outside.close()
    }
  }

  @Test("starts without one where the mode requires none, and waits for it")
  func notThereYet() async throws {
    try await Rig.with(.monitorOnly) { rig in
      var mode = AudioMode(category: .record)
      // The monitor is none of them.
      mode.preferredInput = [.formFactor("microphone"), .default]
      mode.inputRequired = false
      try await rig.session.setAudioMode(mode)
      let buffers = try await rig.capture.start(Self.patient)
      #expect(await rig.capture.status == .interrupted)
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      _ = try await outside.loadModule("module-null-source", "source_name=one rate=44100")
      let sound = await rig.collect(buffers, frames: 1600)
      #expect(sound.isWhole && sound.lost == 0)
      #expect(sound.buffers.first?.device == "one")
      #expect(await rig.capture.run?.queue.limit == 6000)
      await outside.close()
    }
  }

  @Test("goes on through each change of its card's profile", .simulatedCard)
  func profileFlips() async throws {
    let (card, input) = (
      "alsa_card.usb-Example_USB_Microphone-00",
      "alsa_input.usb-Example_USB_Microphone-00.analog-stereo"
    )
    try await Rig.with(.demo) { rig in
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      // Whether the stream is on the microphone whose profile changes.
      func isOnCard() async -> Bool? {
        guard let snapshot = try? await rig.session.snapshot(),
          let place = snapshot.sourceOutputs.first?.device
        else { return nil }
        return snapshot.device(.input, at: place)?.name == input
      }
      try await outside.setDefaultSource(input)
      let buffers = try await rig.capture.start(Self.patient)
      var sound = await rig.collect(buffers, frames: Self.settled)
      for _ in 0..<Self.times {
        try await outside.setCardProfile(card, "off")
        #expect(await eventually(within: .seconds(30)) { await isOnCard() == false })
        sound.buffers += await rig.collect(buffers, frames: 1600).buffers
        try await outside.setCardProfile(card, "input:analog-stereo")
        try await outside.setDefaultSource(input)
        #expect(await eventually(within: .seconds(30)) { await isOnCard() == true })
        sound.buffers += await rig.collect(buffers, frames: 1600).buffers
      }
      #expect(sound.isWhole)
      #expect(sound.missing.allSatisfy { $0.cause == .routeChange }, "\(sound.missing)")
      sound.buffers += await rig.collect(buffers, frames: Self.settled).buffers
      sound.expectTrueTime()
      await outside.close()
    }
  }

  /// Frames after which the clock has said often enough when a stretch of sound began: half a second.
  private static let settled = 8000

  @Test("an input whose sound cannot be converted is waited out")
  func unfit() async throws {
    let configuration = SandboxConfiguration(modules: [
      "module-null-sink sink_name=speakers rate=44100",
      "module-null-source source_name=one rate=44100 channels=2",
      "module-null-source source_name=two rate=44100 channels=1",
    ])
    try await Rig.with(configuration) { rig in
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name("one"), .name("two")]
      try await rig.session.setAudioMode(mode)
      var events = rig.capture.events.makeAsyncIterator()
      var capturing = Self.patient
      capturing.channels = .channel(1)
      let buffers = try await rig.capture.start(capturing)
      var sound = await rig.collect(buffers, frames: Self.settled)
      try await rig.sandbox.unplug("one")
      while let event = await events.next() {
        if case .error(let error) = event, error.code == .invalidFormat { break }
      }
      #expect(await eventually { await rig.capture.status == .interrupted })
      try await rig.sandbox.plug("one")
      #expect(await eventually { await rig.capture.isStreaming })
      sound.buffers += await rig.collectPastGap(buffers).buffers
      #expect(sound.isWhole && sound.missing.contains { $0.cause == .routeChange })
      sound.buffers += await rig.collect(buffers, frames: Self.settled).buffers
      sound.expectTrueTime()
    }
  }
}
