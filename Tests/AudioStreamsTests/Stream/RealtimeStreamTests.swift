import CAllocationCounter
import CPulseStream
import Glibc
import Pulse
import PulseSandbox
import PulseTypes
import TestSupport
import Testing

@testable import AudioStreams

@Suite("A stream on a thread of its own", .server, .timeLimit(.minutes(10)))
struct RealtimeStreamTests {
  @Test("records at the device's rate and channels")
  func records() async throws {
    try await PulseSandbox.watched(.tone()) { sandbox in
      let heard = Heard()
      let stream = try RealtimeStream(
        StreamRequest(
          direction: .input, server: sandbox.address, name: "test", latency: .milliseconds(10)),
        handler: heard.handle)
      let grant = try await stream.opened()
      #expect(grant.rate == 44100)
      #expect(grant.channels == 1)
      #expect(grant.bufferFrames <= 882)
      #expect(await eventually { heard.now.frames >= 44100 / 2 })
      await stream.close()
      let sound = heard.now
      #expect(sound.lost == 0)
      #expect(sound.hasEnded && sound.error == nil)
      #expect(stream.statistics.violations == 0)
      // Zero crossings upwards of 441 Hz: one each hundred samples, and never a jump between.
      let crossings = zip(sound.samples, sound.samples.dropFirst()).count { $0 < 0 && $1 >= 0 }
      #expect(abs(crossings - sound.frames / 100) <= 1)
    }
  }

  @Test("plays what a C function renders, and drains")
  func plays() async throws {
    try await PulseSandbox.watched(.minimal) { sandbox in
      let heard = Heard()
      let stream = try RealtimeStream(
        StreamRequest(
          direction: .output, server: sandbox.address, name: "test", latency: .milliseconds(20)),
        handler: heard.handle)
      let grant = try await stream.opened()
      #expect(grant.rate == 44100)
      #expect(grant.channels == 2)
      let count = UnsafeMutablePointer<Int>.allocate(capacity: 1)
      count.initialize(to: 0)
      stream.start(
        { context, out, frames in
          context!.assumingMemoryBound(to: Int.self).pointee += frames
          out!.update(repeating: 0, count: frames * 2)
        }, context: count)
      #expect(await eventually { stream.statistics.callbacks > 20 })
      stream.drain()
      #expect(await eventually { heard.now.events.contains(.drained) })
      await stream.close()
      #expect(count.pointee > grant.bufferFrames)
      count.deallocate()
    }
  }

  @Test(
    "allocates and locks nothing of its own in steady state",
    .enabled(if: allocation_counter_works(), "sanitized"))
  func realtimeSafe() async throws {
    try await PulseSandbox.watched(.tone()) { sandbox in
      let stream = try RealtimeStream(
        StreamRequest(
          direction: .input, server: sandbox.address, name: "test", latency: .milliseconds(5)))
      _ = try await stream.opened()
      #expect(await eventually { stream.statistics.callbacks > 50 })
      ps_set_probe(allocation_probe)
      defer { ps_set_probe(nil) }
      let before = (probed_spans(), probed_allocations(), probed_locks())
      #expect(await eventually { probed_spans() > before.0 + 100 })
      #expect(probed_allocations() == before.1)
      #expect(probed_locks() == before.2)
      await stream.close()
    }
  }

  @Test("says so where nobody answers, where there is no device, and where it does not exist")
  func failures() async throws {
    await #expect {
      _ = try await RealtimeStream(
        StreamRequest(direction: .input, server: "unix:/nonexistent", name: "test")
      ).opened()
    } throws: { ($0 as? StreamError)?.code == .engineStartFailed }
    try await PulseSandbox.watched(.empty) { sandbox in
      _ = await #expect {
        _ = try await RealtimeStream(
          StreamRequest(direction: .input, server: sandbox.address, name: "test")
        ).opened()
      } throws: { ($0 as? StreamError)?.code == .deviceNotAvailable }
    }
    try await PulseSandbox.watched(.minimal) { sandbox in
      _ = await #expect {
        _ = try await RealtimeStream(
          StreamRequest(
            direction: .input, server: sandbox.address, name: "test", device: "none")
        ).opened()
      } throws: { ($0 as? StreamError)?.message.contains("'none'") == true }
    }
  }

  @Test("is not waited for longer than asked where the server is frozen")
  func frozen() async throws {
    try await PulseSandbox.watched(.minimal) { sandbox in
      try await sandbox.freeze()
      let start = ContinuousClock.now
      let stream = try RealtimeStream(
        StreamRequest(
          direction: .input, server: sandbox.address, name: "test", timeout: .milliseconds(200)))
      await #expect(throws: StreamError.self) { _ = try await stream.opened() }
      #expect(ContinuousClock.now - start < .seconds(10))
      await stream.close()
      try await sandbox.thaw()
    }
  }

  @Test(
    "is gone from the server once it is closed, also while a child process has its connection",
    arguments: [ServerKind.pulseaudio, .pipewire], [Direction.input, .output])
  func inherited(kind: ServerKind, direction: Direction) async throws {
    try await PulseSandbox.watched(.minimal(on: kind)) { sandbox in
      let outside = try await PulseClient.connect(to: sandbox.address, name: "outside")
      let stream = try RealtimeStream(
        StreamRequest(direction: direction, server: sandbox.address, name: "test"))
      _ = try await stream.opened()
      let connections = InheritedConnections(to: sandbox.address)
      #expect(connections.count > 1)
      await stream.close()
      // On PipeWire other clients hear of the end a moment later than the stream's own does.
      let within = Duration.seconds(kind == .pipewire ? 10 : 0)
      #expect(
        try await eventually(within: within) {
          let streams = try await outside.sourceOutputs() + outside.sinkInputs()
          return streams.isEmpty
        })
      await outside.close()
      withExtendedLifetime(connections) {}
    }
  }

  @Test("may be closed at any moment while the server makes it, and another program moves it")
  func closedWhileMade() async throws {
    try await PulseSandbox.watched(.sources) { sandbox in
      let outside = try await PulseClient.connect(to: sandbox.address, name: "outside")
      let moving = Task {
        for await event in await outside.events() {
          guard event.kind == .new, event.facility == .sourceOutput else { continue }
          try? await outside.moveStream(.input, Index(event.index), to: "two")
        }
      }
      try await outside.subscribe()
      let request = StreamRequest(
        direction: .input, server: sandbox.address, name: "test", device: "one",
        latency: .milliseconds(10))
      for number in 0..<400 {
        let stream = try RealtimeStream(request)
        let limit = ContinuousClock.now + .microseconds(number * 10)
        let opening = Task { try await stream.opened() }
        try? await Task.sleep(until: limit)
        opening.cancel()
        _ = await opening.result
        await stream.close()
      }
      #expect(try await outside.sourceOutputs().isEmpty)
      moving.cancel()
      await outside.close()
    }
  }

  @Test("is not opened where the task is cancelled as the server makes it")
  func cancelledAsReady() async throws {
    try await PulseSandbox.watched(.minimal) { sandbox in
      let made = Promise<RealtimeStream>()
      let opening = Task { try await made.value().opened() }
      let request = StreamRequest(direction: .input, server: sandbox.address, name: "test")
      // It is cancelled before it learns that the stream is ready.
      let stream = try RealtimeStream(request) { signal in
        if case .ready = signal { opening.cancel() }
      }
      made.fulfill(stream)
      await #expect {
        _ = try await opening.value
      } throws: {
        ($0 as? StreamError)?.isCancelled == true
      }
      await stream.close()
    }
  }

  @Test("tells of the server's end, once")
  func killed() async throws {
    try await PulseSandbox.watched(.tone()) { sandbox in
      let heard = Heard()
      let stream = try RealtimeStream(
        StreamRequest(direction: .input, server: sandbox.address, name: "test"),
        handler: heard.handle)
      _ = try await stream.opened()
      try await sandbox.kill()
      #expect(await eventually { heard.now.hasEnded })
      #expect(heard.now.error?.code == .engineStartFailed)
      await stream.close()
      await stream.close()
    }
  }
}
