import AudioSession
import PulseSandbox
import PulseTypes

/// Measures calls in one process, on PulseAudio and on PipeWire, with devices that both have.
struct Servers {
  private let kind: ServerKind
  private let sandbox: PulseSandbox

  static func run(_ count: Int) async throws {
    print("calls in one process on both servers, \(count) times each")
    for kind in [ServerKind.pulseaudio, .pipewire] where ServerProgram.isInstalled(kind) {
      try await PulseSandbox.with(.nullDevices(on: kind)) { sandbox in
        try await Servers(kind: kind, sandbox: sandbox).calls(count)
      }
    }
  }

  private func calls(_ count: Int) async throws {
    let session = AudioSession(in: sandbox)
    var declared = AudioMode(category: .record)
    declared.preferredInput = ["usb_mic"]
    declared.channelMap = .swap
    declared.ioBufferDuration = .milliseconds(10)
    let mode = declared
    let calls: [(name: String, call: @Sendable () async throws -> Void)] = [
      ("applied and verified", { _ = try await session.setAudioMode(mode) }),
      ("applied again: nothing to do", { _ = try await session.setAudioMode(mode) }),
      ("getSessionState()", { _ = try await session.getSessionState() }),
      ("plan(for:)", { _ = try await session.plan(for: mode) }),
    ]
    var (times, trips) = (calls.map { _ in [Duration]() }, calls.map { _ in [Int]() })
    for _ in 0..<count {
      try await session.setActive(false)
      for (index, (_, call)) in calls.enumerated() {
        let before = await session.roundTrips
        let start = ContinuousClock.now
        try await call()
        times[index].append(ContinuousClock.now - start)
        trips[index].append(await session.roundTrips - before)
      }
    }
    try await session.revert()
    await session.close()
    for (index, (name, _)) in calls.enumerated() {
      row(name, times[index], ", \(trips[index].sorted()[count / 2]) round trips")
    }
    var floor: Timings?
    do {
      let times = try await bare(count)
      row("bare libpulse, the same changes", times)
      floor = Timings(times)
    } catch {
      print("  bare libpulse: gave up (\(error))")
    }
    let name = "\(kind == .pipewire ? "on PipeWire, " : "")applied and verified"
    let own = Timings(times[0]).median.seconds
    let least = floor?.median.seconds
    Ratios.note(name, own * 1000, "ms", floor: least.map { $0 * 1000 })
    if let least { Ratios.note("\(name), of bare libpulse", own / least) }
  }

  /// How long bare libpulse needs for the changes of the mode, each read back.
  private func bare(_ count: Int) async throws -> [Duration] {
    let program = try Bare(in: sandbox).path
    let bare = try Outsider(
      [program, "apply", "usb_mic", "bare.input"] + (kind == .pipewire ? ["512"] : []),
      sandbox.programEnvironment)
    defer { bare.end() }
    var times: [Duration] = []
    for _ in 0..<count { times.append(try await bare.time("apply")) }
    return times
  }

  private func row(_ name: String, _ times: [Duration], _ note: String = "") {
    let timings = Timings(times)
    Benchmark.row("\(kind.rawValue): \(name)", timings, timings.tail + note, width: 44)
  }
}
