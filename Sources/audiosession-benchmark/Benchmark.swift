import AudioSession
import Glibc
import PulseSandbox
import SessionProfiles

/// Prints the cost of an apply and a state, next to the same work of `pactl` in the same run.
@main
struct Benchmark {
  static let repetitions = 60

  static func main() async {
    do {
      try await run()
    } catch {
      print("failed: \(error)")
      exit(1)
    }
  }

  private static func run() async throws {
    var words = Array(CommandLine.arguments.dropFirst())
    var file: String?
    if let at = words.firstIndex(of: "--json"), words.indices.contains(at + 1) {
      file = words[at + 1]
      words.removeSubrange(at...at + 1)
    }
    let count = words.dropFirst().first.flatMap { Int($0) }
    switch words.first {
    case nil: try await figures()
    case "heal": try await Heal.run(count ?? 1000)
    case "storm": try await Storm.run(count ?? 10_000)
    case "restarts": try await Restarts.run(count ?? 200)
    case "capture": try await CaptureFigures.print()
    case "synthesizer": try await SynthFigures.print()
    case "underruns":
      try await SynthFigures.underruns(
        seconds: count ?? 600, milliseconds: words.dropFirst(2).first.flatMap { Int($0) })
    case "servers": try await Servers.run(count ?? 100)
    case "scale": try await Scale.run(count ?? 1000)
    case "idle": try await Idle.run(count ?? 60)
    case "churn":
      let seed = words.dropFirst(2).first.flatMap { UInt64($0) }
      try await Churn.run(count ?? 100_000, seed: seed ?? UInt64.random(in: 1...999_999))
    default:
      print(
        "audiosession-benchmark "
          + "[heal N | restarts N | servers N | storm N | idle SECONDS | churn N SEED | "
          + "scale LARGEST | capture | synthesizer | underruns SECONDS MILLISECONDS] "
          + "[--json FILE]")
    }
    if let file { try Results.write(to: file) }
  }

  private static func figures() async throws {
    // The tones that the simulated cards make cost the server time that hardware does not.
    var configuration = SandboxConfiguration.demo
    configuration.modules = configuration.modules.map {
      $0.contains("simulated-card") ? $0 + " tone=no" : $0
    }
    try await PulseSandbox.with(configuration) { sandbox in
      if let notice = sandbox.notice { print("note: \(notice)") }
      let benchmark = Benchmark(sandbox)
      try benchmark.processes()
      try await benchmark.inProcess()
      try await benchmark.roundTrip()
    }
    try await CaptureFigures.print()
    try await SynthFigures.print()
  }

  private let sandbox: PulseSandbox
  private let environment: [String: String]
  private let program = Process.folder + "/audiosession"

  init(_ sandbox: PulseSandbox) {
    self.sandbox = sandbox
    environment = sandbox.environment.merging(["PATH": "/usr/bin:/bin"]) { a, _ in a }
  }

  /// The changes of the podcast profile that `pactl` has commands for, and one look at the result.
  private var script: String {
    let source =
      sandbox.hasSimulatedCards
      ? "alsa_input.usb-Example_USB_Microphone-00.analog-stereo" : "usb_mic"
    let card =
      sandbox.hasSimulatedCards
      ? "pactl set-card-profile alsa_card.usb-Example_USB_Microphone-00 input:analog-stereo; " : ""
    return card
      + "pactl set-default-source \(source); pactl set-source-mute \(source) 0; "
      + "pactl get-default-source; pactl -f json list sources"
  }

  /// The same changes with pulsectl (package python3-pulsectl), and a listing.
  private var python: String {
    let source =
      sandbox.hasSimulatedCards
      ? "alsa_input.usb-Example_USB_Microphone-00.analog-stereo" : "usb_mic"
    let card =
      sandbox.hasSimulatedCards
      ? "pulse.card_profile_set(pulse.get_card_by_name("
        + "'alsa_card.usb-Example_USB_Microphone-00'), 'input:analog-stereo')" : "pass"
    return """
      import pulsectl
      with pulsectl.Pulse('benchmark') as pulse:
          \(card)
          source = pulse.get_source_by_name('\(source)')
          pulse.source_default_set(source)
          pulse.mute(source, False)
          pulse.server_info(), pulse.source_list()
      """
  }

  private static let pythonListing = """
    import pulsectl
    with pulsectl.Pulse('benchmark') as pulse:
        pulse.server_info(), pulse.sink_list(), pulse.source_list(), pulse.card_list()
        pulse.sink_input_list(), pulse.source_output_list(), pulse.module_list()
    """

  /// Whole programs, in turn, so that the machine's moods hit all of them.
  func processes() throws {
    var (apply, again, shell) = ([Duration](), [Duration](), [Duration]())
    var (state, list, start) = ([Duration](), [Duration](), [Duration]())
    var (pulsectl, pulsectlList) = ([Duration](), [Duration]())
    let hasPulsectl =
      (try? Process.run(["/usr/bin/python3", "-c", "import pulsectl"], environment)) != nil
    for _ in 0..<Self.repetitions {
      _ = try Process.run([program, "revert"], environment)
      apply.append(try Process.run([program, "apply", "podcast"], environment))
      again.append(try Process.run([program, "apply", "podcast"], environment))
      shell.append(try Process.run(["/bin/sh", "-c", script], environment))
      state.append(try Process.run([program, "state", "--json"], environment))
      list.append(try Process.run(["pactl", "-f", "json", "list"], environment))
      start.append(try Process.run([program, "--version"], environment))
      guard hasPulsectl else { continue }
      pulsectl.append(try Process.run(["/usr/bin/python3", "-c", python], environment))
      pulsectlList.append(
        try Process.run(["/usr/bin/python3", "-c", Self.pythonListing], environment))
    }
    print("whole programs, \(Self.repetitions) times each, in turn")
    let rival = Timings(shell)
    row("apply podcast", Timings(apply), "\(Timings(apply).ratio(to: rival)) of the script's")
    row("apply podcast again", Timings(again), "nothing to do, verified")
    row("the same as a pactl script", rival, "no rate, no buffer, no verdict")
    if hasPulsectl { row("the same with pulsectl", Timings(pulsectl), "") }
    row("state --json", Timings(state), "\(Timings(state).ratio(to: Timings(list))) of pactl's")
    row("pactl -f json list", Timings(list), "")
    if hasPulsectl { row("a listing with pulsectl", Timings(pulsectlList), "") }
    row("start and end (--version)", Timings(start), "")
  }

  /// Calls in one process.
  func inProcess() async throws {
    let session = AudioSession(
      server: sandbox.address,
      configuration: SessionConfiguration(storeFolder: sandbox.directory + "/benchmark"))
    let mode = try Profile.named("podcast").mode
    var (apply, state, plan) = ([Duration](), [Duration](), [Duration]())
    var trips = 0
    for _ in 0..<Self.repetitions {
      try await session.setActive(false)
      let before = await session.roundTrips
      apply.append(try await time { try await session.setAudioMode(mode) })
      trips = await session.roundTrips - before
      state.append(try await time { try await session.getSessionState() })
      plan.append(try await time { try await session.plan(for: mode) })
    }
    await session.close()
    print("in one process, \(Self.repetitions) times each")
    row("setAudioMode(podcast)", Timings(apply), "\(trips) round trips")
    row("getSessionState()", Timings(state), "1 round trip")
    row("plan(for:)", Timings(plan), "no round trip")
  }

  /// One request, next to the plain C call.
  func roundTrip() async throws {
    let trip = try await RoundTrip(sandbox.address)
    print("listing the sinks, \(RoundTrip.rounds) times each, in turn")
    row("bare C", trip.bare, "")
    row("PulseClient on its thread", trip.onLoop, "\(trip.onLoop.ratio(to: trip.bare)) of C's")
    row(
      "PulseClient from elsewhere", trip.elsewhere, "\(trip.elsewhere.ratio(to: trip.bare)) of C's")
  }

  private func time<Result>(_ body: () async throws -> Result) async rethrows -> Duration {
    let start = ContinuousClock.now
    _ = try await body()
    return ContinuousClock.now - start
  }

  private func row(_ name: String, _ timings: Timings, _ note: String) {
    Self.row(name, timings, note)
  }

  static func row(_ name: String, _ timings: Timings, _ note: String, width: Int = 28) {
    Results.note(name, timings, note)
    let padding = String(repeating: " ", count: max(1, width - name.count))
    print("  \(name)\(padding)\(timings.text)  \(note)")
  }
}
