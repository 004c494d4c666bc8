import CPulse
import Pulse

/// What one listing of the sinks costs: in C, on the client's own thread, and from elsewhere.
struct RoundTrip {
  static let rounds = 2000

  var bare: Timings
  var onLoop: Timings
  var elsewhere: Timings

  init(_ address: String) async throws {
    let bareClient = try BareClient(address)
    let client = try await PulseClient.connect(to: address, name: "benchmark")
    let neighbour = Neighbour(client)
    var samples: [[Duration]] = [[], [], []]
    // In turn, so that the machine's moods hit all three.
    for _ in 0..<10 {
      for _ in 0..<Self.rounds / 10 {
        samples[0].append(ContinuousClock().measure { bareClient.listSinks() })
      }
      samples[1] += try await neighbour.measure(Self.rounds / 10)
      for _ in 0..<Self.rounds / 10 {
        samples[2].append(try await ContinuousClock().measure { _ = try await client.sinks() })
      }
    }
    await client.close()
    bare = Timings(samples[0])
    onLoop = Timings(samples[1])
    elsewhere = Timings(samples[2])
  }
}

/// An actor that shares the client's thread, as the session does.
private actor Neighbour {
  private let client: PulseClient
  nonisolated var unownedExecutor: UnownedSerialExecutor { client.unownedExecutor }

  init(_ client: PulseClient) { self.client = client }

  func measure(_ rounds: Int) async throws -> [Duration] {
    var samples: [Duration] = []
    for _ in 0..<rounds {
      let start = ContinuousClock.now
      _ = try await client.sinks()
      samples.append(ContinuousClock.now - start)
    }
    return samples
  }
}

/// libpulse as a C program uses it.
private struct BareClient {
  private let mainloop: OpaquePointer
  private let context: OpaquePointer

  init(_ address: String) throws {
    mainloop = pa_mainloop_new()
    context = pa_context_new(pa_mainloop_get_api(mainloop), "bare")
    pa_context_connect(context, address, PA_CONTEXT_NOAUTOSPAWN, nil)
    while pa_context_get_state(context) != PA_CONTEXT_READY {
      guard PA_CONTEXT_IS_GOOD(pa_context_get_state(context)) != 0 else {
        throw Process.Failure(description: "cannot connect to \(address)")
      }
      pa_mainloop_iterate(mainloop, 1, nil)
    }
  }

  func listSinks() {
    var isDone = false
    withUnsafeMutablePointer(to: &isDone) { flag in
      let operation = pa_context_get_sink_info_list(
        context,
        { _, _, end, flag in
          if end != 0 { flag?.assumingMemoryBound(to: Bool.self).pointee = true }
        }, flag)
      while !flag.pointee { pa_mainloop_iterate(mainloop, 1, nil) }
      pa_operation_unref(operation)
    }
  }
}
