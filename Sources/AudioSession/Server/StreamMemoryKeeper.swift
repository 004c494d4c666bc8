import Pulse
import PulseTypes
import SessionCore

/// Lets PipeWire's session manager store the values that programs' streams had before a session
/// silenced or lowered them.
///
/// WirePlumber stores a stream's values whenever they change, and gives them to the next stream of
/// the same name. No request can set other values (0.5), or none that reliably follows what it
/// stores by itself (0.4). So this opens a paused stream with the program's name and sets the
/// values to store, with the volume off by a thousandth, and repeats that until a new stream starts
/// with them: WirePlumber has then stored them after everything before. That stream is given the
/// exact volume. This takes about half a second; no call waits for it.
actor StreamMemoryKeeper {
  private nonisolated let loop: PulseLoop
  private nonisolated let address: String
  private var wanted: [SavedStream] = []
  private var worker: Task<Void, Never>?
  private var isStopped = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ loop: PulseLoop, _ address: String) {
    self.loop = loop
    self.address = address
  }

  /// The time limit for all attempts.
  private static let patience = Duration.seconds(15)
  /// How long to wait until a stream gets its stored values, which happens when it is connected.
  private static let restoringTime = Duration.seconds(2)
  /// How long a stream stays open after a change: the session manager asks for changes. Doubled if
  /// that was too short.
  private static let notingTime = Duration.milliseconds(150)

  /// Has values stored, soon, in place of earlier ones for the same program.
  func remember(_ saved: SavedStream) {
    guard !isStopped, saved.identity != nil, saved.volume.values.count > 0 else { return }
    wanted.removeAll { $0.name == saved.name }
    wanted.append(saved)
    guard worker == nil else { return }
    // Its child tasks, too, run on the loop's thread.
    worker = loop.task { [self] in await run() }
  }

  /// Waits until everything is stored, or the deadline passes.
  func settle(deadline: Deadline) async {
    while worker != nil, !deadline.hasPassed, await rest(.milliseconds(5)) {}
  }

  /// Stops the work; nothing more is stored.
  func stop() async {
    isStopped = true
    worker?.cancel()
    await worker?.value
  }

  private func run() async {
    await work()
    worker = nil
  }

  private func work() async {
    while !wanted.isEmpty, !Task.isCancelled {
      let begun = wanted
      wanted = []
      await withTaskGroup { group in
        for saved in begun { group.addTask { await self.keep(saved) } }
      }
    }
  }

  /// Uses a new client, because the session's client has its own name. A busy pipewire-pulse may
  /// never answer a client.
  private func keep(_ saved: SavedStream) async {
    guard let identity = saved.identity else { return }
    let deadline = Deadline(after: Self.patience)
    var isDone = false
    while !isDone, !deadline.hasPassed, await rest(.milliseconds(2)) {
      let client = try? await PulseClient.connect(
        to: address, name: "Audio session", properties: [identity.key: identity.value],
        timeout: .seconds(2), requestTimeout: .seconds(1), loop: loop)
      guard let client else { continue }
      isDone = await keep(saved, by: Program(client: client, identity: identity), deadline)
      await client.endStreams()
      await client.close()
    }
  }

  /// Whether the values are stored; false also if no stream can be opened.
  private func keep(_ saved: SavedStream, by program: Program, _ deadline: Deadline) async -> Bool {
    var marked = saved
    marked.volume.values = saved.volume.values.map {
      Volume(rawValue: $0 < .norm ? $0.rawValue + Self.mark : $0.rawValue - Self.mark)
    }
    var notingTime = Self.notingTime
    var isNoted = false
    var isMarked = false
    while !isNoted, !deadline.hasPassed, !Task.isCancelled,
      let stream = await open(saved, program)
    {
      if isMarked { isNoted = await becomes(marked, stream) }
      await give(isNoted ? saved : marked, stream)
      isMarked = true
      _ = await rest(notingTime)
      await stream.close()
      notingTime = notingTime * 2
    }
    return isNoted
  }

  /// A volume that differs by this much, which is inaudible, marks values that are not exact yet.
  private static let mark: UInt32 = 64

  private func give(_ saved: SavedStream, _ stream: PulseStream) async {
    try? await stream.client.setStreamMute(.output, stream.index, saved.isMuted)
    try? await stream.client.setStreamVolume(.output, stream.index, saved.volume)
  }

  /// Whether a new stream gets the stored values, and they are right.
  private func becomes(_ saved: SavedStream, _ stream: PulseStream) async -> Bool {
    let deadline = Deadline(after: Self.restoringTime)
    repeat {
      guard let now = try? await stream.client.sinkInput(at: stream.index) else { return false }
      if now.isMuted == saved.isMuted, now.volume?.isNear(saved.volume) == true { return true }
      guard await rest(.milliseconds(5)) else { return false }
    } while !deadline.hasPassed
    return false
  }

  /// Waits; false if the task was cancelled in the meantime.
  private func rest(_ time: Duration) async -> Bool {
    (try? await loop.sleep(until: .now + time)) != nil
  }

  /// A client with the identity of a program.
  private struct Program {
    let client: PulseClient
    let identity: (key: String, value: String)
  }

  private func open(_ saved: SavedStream, _ program: Program) async -> PulseStream? {
    let channels = saved.volume.values.count
    let options = StreamOptions(
      direction: .output, name: "Audio session memory",
      spec: SampleSpec(format: .s16le, rate: 48000, channels: UInt8(clamping: channels)),
      channelMap: saved.channelMap.count == channels ? saved.channelMap : nil,
      properties: [Owned.pinKey: Owned.memoryPin, program.identity.key: program.identity.value])
    return try? await program.client.openStream(options, timeout: .seconds(2))
  }
}

extension SavedStream {
  /// The property by which the server identifies the program; nil for names without a program.
  fileprivate var identity: (key: String, value: String)? {
    let kinds = [
      ("media-role", "media.role"), ("application-id", "application.id"),
      ("application-name", "application.name"),
    ]
    let kind = kinds.first { name.hasPrefix("sink-input-by-\($0.0):") }
    return kind.map { (key: $0.1, value: owner) }
  }
}

extension ChannelVolumes {
  /// Whether two volumes are equal in the precision that PipeWire stores.
  func isNear(_ other: ChannelVolumes) -> Bool {
    values.count == other.values.count
      && zip(values, other.values).allSatisfy { abs(Int($0.rawValue) - Int($1.rawValue)) < 32 }
  }
}
