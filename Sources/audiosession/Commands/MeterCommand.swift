import ArgumentParser
import AudioSession
import AudioStreams
import POSIX
import PulseTypes

struct MeterCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "meter",
    abstract: "Show the level of each channel of the input.",
    discussion: """
      Draws loudness (RMS), peak and held peak of the session's input until it is interrupted or \
      its output is closed. If the output is not a terminal, it prints one line each second. \
      Nothing is stored. An input that delivers nothing has no levels; after 5 s it warns of that.

      JSON: one object a line: device; seconds since the start; sampleRate; levels: channel (its \
      name), peak, rms, hold, clipping (none while nothing arrives); with --spectrum also bands: \
      from and to (Hz) and amplitude. 1.0 is full scale.
      """)

  @Option(
    help: ArgumentHelp(
      "A source: its name, or what 'devices' calls it. (default: the input)", valueName: "name"),
    completion: Completion.source)
  var device: String?

  @Flag(help: "Show the spectrum as well, from 40 Hz to 16 kHz.")
  var spectrum = false

  @Option(help: ArgumentHelp("When to end: 10s, 5m.", valueName: "time"))
  var duration: TimeLimit?

  @Option(
    help: ArgumentHelp(
      "How often to print. (default: 50ms on a terminal, else 1s)", valueName: "time"))
  var interval: TimeLimit?

  var activity: String? { nil }
  static func printsLines(_ arguments: [String]) -> Bool { true }

  @OptionGroup(title: "Options for every command") var options: GlobalOptions

  func validate() throws {
    guard let interval, interval.duration > .seconds(10) else { return }
    throw ValidationError("--interval is \(interval); the longest is 10s")
  }

  func run(_ context: Context) async throws -> Status {
    try await context.withSession { session in
      let input = try await Self.source(device, session)
      let (pieces, continuation) = AsyncThrowingStream.makeStream(
        of: DeviceTap.Piece?.self, bufferingPolicy: .bufferingNewest(200))
      let delivery = MeterDelivery(input.name)
      let every =
        min(
          interval?.duration
            ?? (context.output.terminal.canMove ? Self.frame : .seconds(1)),
          duration?.duration ?? .seconds(10))
      let tap = try await DeviceTap(
        server: session.address, device: device.map { _ in input.name },
        latency: min(every, .milliseconds(40)), staysPut: device != nil,
        handler: { continuation.yield($0) }, onEnd: { continuation.finish(throwing: $0) })
      let view = MeterView(input, tap, hasSpectrum: spectrum, context.output)
      let (limit, output) = (duration?.duration, context.output)
      let printing = PrintQueue()
      // A device that delivers nothing does not prolong it by much.
      let alarm = limit.map { limit in
        Task {
          try await session.sleep(until: .now + limit + .seconds(5))
          continuation.finish()
        }
      }
      let watch = Task { [events = session.events] in
        for await case .devicesChanged in events {
          guard await Self.isLost(tap, session) else { continue }
          // PipeWire moves a stream a moment after its device was removed.
          try? await session.sleep(until: .now + .seconds(1))
          guard await Self.isLost(tap, session) else { continue }
          continuation.finish(
            throwing: StreamError(.deviceNotAvailable, "'\(input.name)' was removed"))
        }
      }
      // What ends soon for that reason says it then.
      let warnsUntil = limit.map { ContinuousClock.now + $0 }
      let listening = Task {
        await delivery.watch(session) {
          continuation.yield(nil)
        } onStall: {
          guard warnsUntil.map({ $0 > .now }) != false else { return }
          let error = delivery.error
          printing.add { output.warning(error.description) }
        }
      }
      defer {
        listening.cancel()
        alarm?.cancel()
        watch.cancel()
      }
      try await Interruption.cancelling {
        try await Self.show(pieces, view, delivery, every: every, limit: limit) {
          output.isOver
        } again: {
          let name = delivery.device.withLock { $0 }
          printing.add { output.note("'\(visible(name))' delivers again") }
        } renewing: { view in
          guard tap.device != view.device.index,
            let device = (try? await session.snapshot())?.device(.input, at: tap.device)
          else { return view }
          delivery.device.withLock { $0 = device.name }
          return view.following(device, tap)
        }
      }
      await printing.finish()
      await tap.close()
      return .ended()
    }
  }

  private static let frame = Duration.milliseconds(50)

  private static func isLost(_ tap: DeviceTap, _ session: AudioSession) async -> Bool {
    guard let snapshot = try? await session.snapshot() else { return false }
    return tap.isLost(in: snapshot)
  }

  /// The recorded device, as the server lists it.
  private static func source(_ name: String?, _ session: AudioSession) async throws -> Device {
    let snapshot = try await session.snapshot()
    if let name { return try snapshot.input(called: name) }
    if let found = snapshot.defaultDevice(.input) { return found }
    throw SessionError(
      .inputNotAvailable, stage: .device, "there is no input",
      alternatives: snapshot.devices(.input).map(\.name))
  }

  /// Shows a reading each time this much sound has arrived.
  ///
  /// - Parameters:
  ///   - pieces: sound; nil where none has arrived for a while.
  ///   - again: called when sound arrives after it was reported that none does.
  ///   - renewing: the view of the device that is recorded now.
  private static func show(
    _ pieces: AsyncThrowingStream<DeviceTap.Piece?, any Error>, _ view: MeterView,
    _ delivery: MeterDelivery, every: Duration, limit: Duration?, isOver: () -> Bool,
    again: () -> Void, renewing: (MeterView) async -> MeterView
  ) async throws {
    var view = view
    let start = ContinuousClock.now
    for try await piece in pieces {
      let time = ContinuousClock.now - start
      guard let piece else {
        try view.empty(at: time)
        if isOver() { return }
        continue
      }
      if delivery.noteSound() { again() }
      view = await renewing(view)
      try view.add(piece, at: time, every: every)
      if limit.map({ time >= $0 }) == true || isOver() { return }
    }
    guard !Task.isCancelled else { return }
    throw delivery.error
  }
}
