import Glibc
import PulseTypes
import Testing

@testable import Pulse

/// Run with `PULSE_BENCHMARK=1 swift test -c release -Xswiftc -enable-testing --filter Benchmark`.
@Suite(.needsPulseAudio, .enabled(if: getenv("PULSE_BENCHMARK") != nil, "set PULSE_BENCHMARK=1"))
struct BenchmarkTests {
  private let rounds = 5000

  /// A request costs at most twice the bare C call, decoded values and all.
  @Test func sinksRoundTrip() async throws {
    let server = try await PrivateServer()
    let bare = try BareClient(server.address)
    let client = try await server.connect()
    let neighbour = BenchmarkNeighbour(client)
    var samples: [[Duration]] = [[], [], []]
    // Interleaved, so that a change of the machine's mood meets all three.
    for _ in 0..<5 {
      samples[0] += (0..<rounds / 5).map { _ in ContinuousClock().measure(bare.listSinks) }
      samples[1] += try await neighbour.measure(rounds / 5)
      for _ in 0..<rounds / 5 {
        samples[2].append(try await ContinuousClock().measure { _ = try await client.sinks() })
      }
    }
    let medians = samples.map { $0.sorted()[$0.count / 2] }
    print("bare C \(medians[0]), on the loop \(medians[1]), from elsewhere \(medians[2])")
    #expect(medians[1] < medians[0] * 2)
  }

  @Test func snapshot() async throws {
    let server = try await PrivateServer()
    let client = try await server.connect()
    var samples: [Duration] = []
    for _ in 0..<rounds {
      samples.append(try await ContinuousClock().measure { _ = try await client.snapshot() })
    }
    print("snapshot \(samples.sorted()[rounds / 2])")
  }
}

private actor BenchmarkNeighbour {
  let client: PulseClient
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

/// libpulse as a C program uses it, by symbol, since this target does not import the C module.
private struct BareClient {
  typealias Pointer = UnsafeMutableRawPointer
  private let mainloop: Pointer
  private let context: Pointer
  private let iterate: @convention(c) (Pointer, Int32, Pointer?) -> Int32
  private let list:
    @convention(c) (Pointer, @convention(c) (Pointer?, Pointer?, Int32, Pointer?) -> Void, Pointer)
      -> Pointer
  private let unref: @convention(c) (Pointer) -> Void

  init(_ address: String) throws {
    let new: @convention(c) () -> Pointer = try symbol("pa_mainloop_new")
    let api: @convention(c) (Pointer) -> Pointer = try symbol("pa_mainloop_get_api")
    let make: @convention(c) (Pointer, UnsafePointer<CChar>) -> Pointer =
      try symbol("pa_context_new")
    let connect: @convention(c) (Pointer, UnsafePointer<CChar>, UInt32, Pointer?) -> Int32 =
      try symbol("pa_context_connect")
    let state: @convention(c) (Pointer) -> Int32 = try symbol("pa_context_get_state")
    iterate = try symbol("pa_mainloop_iterate")
    list = try symbol("pa_context_get_sink_info_list")
    unref = try symbol("pa_operation_unref")
    mainloop = new()
    context = make(api(mainloop), "bare")
    try #require(connect(context, address, 1, nil) == 0)
    while state(context) != 4 { try #require(iterate(mainloop, 1, nil) >= 0) }
  }

  func listSinks() {
    var isDone = false
    withUnsafeMutablePointer(to: &isDone) { flag in
      unref(list(context, { if $2 != 0 { $3?.storeBytes(of: true, as: Bool.self) } }, flag))
      while !flag.pointee { _ = iterate(mainloop, 1, nil) }
    }
  }
}

private func symbol<Function>(_ name: String) throws -> Function {
  unsafeBitCast(try #require(dlsym(nil, name)), to: Function.self)
}
