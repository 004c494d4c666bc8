import AudioSession
import Glibc
import Pulse
import PulseSandbox
import PulseTypes
import Testing

@testable import AudioStreams

@Suite("A capture whose input goes", .server, .timeLimit(.minutes(10)))
struct CaptureFaultTests {
  /// 100 by hand: AUDIOSESSION_FAULTS=100.
  static let times = getenv("AUDIOSESSION_FAULTS").flatMap { Int(String(cString: $0)) } ?? 3

  /// However busy the machine is, what is missing is the fault's doing and not the reader's.
  static let patient = CaptureConfiguration(frameLength: 160, backlog: .seconds(60))

  @Test(
    "goes on after each restart of the server, and knows what is missing", arguments: [true, false])
  func restarts(isHolding: Bool) async throws {
    try await Rig.with(.sources, isHolding: isHolding) { rig in
      var mode = AudioMode(category: .record)
      mode.preferredInput = [.name("one")]
      try await rig.session.setAudioMode(mode)
      let buffers = try await rig.capture.startAudioStream(Self.patient)
      var sound = await rig.collect(buffers, frames: 1600)
      for _ in 0..<Self.times {
        try await rig.sandbox.kill()
        try await rig.sandbox.restart()
        sound.buffers += await rig.collectPastGap(buffers).buffers
      }
      #expect(sound.isWhole)
      let resets = sound.missing.filter { $0.cause == .serverReset }
      #expect(resets.count == Self.times, "\(sound.missing)")
      expectTrueTime(sound)
      #expect(await rig.capture.streamStatistics.violations == 0)
    }
  }

  @Test("goes on when a frozen server is thawed, and accounts for every frame")
  func freezes() async throws {
    try await Rig.with(.sources) { rig in
      let buffers = try await rig.capture.startAudioStream(Self.patient)
      var sound = await rig.collect(buffers, frames: 1600)
      for _ in 0..<Self.times {
        try await rig.sandbox.freeze()
        try await Task.sleep(for: .milliseconds(100))  // the length of the freeze is what is tested
        try await rig.sandbox.thaw()
        sound.buffers += await rig.collect(buffers, frames: 3200).buffers
      }
      #expect(sound.isWhole)
      #expect(await rig.capture.status == .streaming)
      #expect(await rig.capture.streamStatistics.violations == 0)
    }
  }

  @Test("follows the route to a device with another rate")
  func routeChange() async throws {
    try await Rig.with(.sources) { rig in
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      try await outside.setDefaultSource("one")
      let events = await rig.capture.events
      let buffers = try await rig.capture.startAudioStream(Self.patient)
      var sound = await rig.collect(buffers, frames: 1600)
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
      expectTrueTime(sound)
      await outside.close()
    }
  }

  @Test("waits for an input where there is none left")
  func unplugged() async throws {
    try await Rig.with(.sources) { rig in
      let outside = try await PulseClient.connect(to: rig.sandbox.address, name: "outside")
      let buffers = try await rig.capture.startAudioStream(Self.patient)
      var sound = await rig.collect(buffers, frames: 1600)
      for _ in 0..<Self.times {
        for module in try await outside.modules() where module.name == "module-null-source" {
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
      expectTrueTime(sound)
      await outside.close()
    }
  }

  /// The frames up to a buffer take as long as the clock says: what was missing was told truly.
  ///
  /// As far as a clock can be read: each stretch of sound begins with a delay of its own.
  private func expectTrueTime(_ sound: Rig.Sound) {
    guard let first = sound.buffers.first, let last = sound.buffers.last else { return }
    let clock = (last.hostTime - first.hostTime).seconds
    let frames = (last.streamTime - first.streamTime).seconds
    let tolerance = 0.05 + 0.002 * Double(Self.times)
    #expect(abs(clock - frames) < tolerance, "\(clock) s by the clock, \(frames) s by frames")
  }
}
