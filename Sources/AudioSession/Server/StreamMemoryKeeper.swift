import Pulse
import PulseTypes
import SessionCore

/// Has PipeWire's session manager remember of programs' streams what they were before a session silenced
/// or lowered them.
///
/// WirePlumber notes what a stream has whenever that changes, and gives it to the next stream of the
/// same name. No request tells it anything else (0.5), or none that comes surely after what it notes by
/// itself (0.4). So a paused stream of the program's name is opened and given what is to be remembered,
/// but for a thousandth of the volume, until one begins so: then WirePlumber has noted that, after all that
/// came before. That one is given the exact volume. This takes about half a second, in which nobody
/// waits for it.
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

  /// How long it is tried.
  private static let patience = Duration.seconds(15)
  /// How long a stream is looked at for what is remembered, which comes when it is connected.
  private static let restoringTime = Duration.seconds(2)
  /// How long a stream stays after it was given something: the session manager asks for what has
  /// changed. Doubled where that was not enough.
  private static let notingTime = Duration.milliseconds(150)

  /// Has something remembered, soon, instead of what was wanted of such streams before.
  func remember(_ saved: SavedStream) {
    guard !isStopped, saved.identity != nil, saved.volume.values.count > 0 else { return }
    wanted.removeAll { $0.name == saved.name }
    wanted.append(saved)
    guard worker == nil else { return }
    worker = Task {
      await work()
      worker = nil
    }
  }

  /// Waits until all is remembered, or the deadline passes.
  func settle(deadline: Deadline) async {
    while worker != nil, !deadline.hasPassed, await rest(.milliseconds(5)) {}
  }

  /// Ends what is under way; nothing is remembered any more.
  func stop() async {
    isStopped = true
    worker?.cancel()
    await worker?.value
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

  /// By a client of its own: what the session's says of itself comes first. A busy pipewire-pulse may
  /// leave one without an answer.
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
      await client.close()
    }
  }

  /// Whether it is remembered; false also where no stream can be had.
  private func keep(
    _ saved: SavedStream, by program: Program, _ deadline: Deadline
  ) async -> Bool {
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

  /// So much of the volume, which nobody hears, is a memory not yet exact.
  private static let mark: UInt32 = 64

  private func give(_ saved: SavedStream, _ stream: PulseStream) async {
    try? await stream.client.setStreamMute(.output, stream.index, saved.isMuted)
    try? await stream.client.setStreamVolume(.output, stream.index, saved.volume)
  }

  /// Whether a stream is given what is remembered, and that is right.
  private func becomes(_ saved: SavedStream, _ stream: PulseStream) async -> Bool {
    let deadline = Deadline(after: Self.restoringTime)
    repeat {
      guard let now = try? await stream.client.sinkInput(at: stream.index) else { return false }
      if now.isMuted == saved.isMuted, now.volume?.isNear(saved.volume) == true { return true }
      guard await rest(.milliseconds(5)) else { return false }
    } while !deadline.hasPassed
    return false
  }

  /// False when the task was cancelled meanwhile.
  private func rest(_ time: Duration) async -> Bool {
    (try? await loop.sleep(until: .now + time)) != nil
  }

  /// A client that the server takes for a program's.
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
  /// The property by which the server knows whose stream it is; nil for names that are of no program.
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
  /// Whether it is the same in the digits that PipeWire keeps.
  func isNear(_ other: ChannelVolumes) -> Bool {
    values.count == other.values.count
      && zip(values, other.values).allSatisfy { abs(Int($0.rawValue) - Int($1.rawValue)) < 32 }
  }
}
