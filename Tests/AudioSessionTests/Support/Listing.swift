import AudioSession
import Pulse
import PulseSandbox
import PulseTypes
import SessionCore
import TestSupport
import Testing

/// What of a server must be as before after a rollback or a revert, by name.
struct Listing: Equatable, CustomStringConvertible {
  var lines: [String]

  init(_ snapshot: ServerSnapshot) {
    var lines = Direction.allCases.map {
      "default \($0): \(snapshot.server.defaultName($0) ?? "none")"
    }
    lines += snapshot.cards.map { "card \($0.name): \($0.activeProfile ?? "none")" }
    for card in snapshot.cards {
      lines += card.ports.map { "port \(card.name) \($0.name): \($0.latencyOffset)" }
    }
    for direction in Direction.allCases {
      for device in snapshot.devices(direction) {
        let volume = device.volume.values.map(\.rawValue)
        lines.append(
          "\(direction) \(device.name): \(device.activePort ?? "-") \(volume) \(device.isMuted)")
      }
      for stream in snapshot.streams(direction) where stream.client != nil {
        let device = snapshot.device(direction, at: stream.device)?.name ?? "none"
        lines.append("stream \(direction) \(stream.index): \(device)")
      }
    }
    lines += snapshot.modules.map { "module \($0.name) \($0.argument)" }
    self.lines = lines.sorted()
  }

  var description: String { lines.joined(separator: "\n") }

  /// The lines that only one of the two has.
  func difference(from other: Listing) -> String {
    (lines.filter { !other.lines.contains($0) }.map { "+ " + $0 }
      + other.lines.filter { !lines.contains($0) }.map { "- " + $0 }).joined(separator: "\n")
  }
}

extension Rig {
  func listing() async throws -> Listing { Listing(try await outside.snapshot()) }

  /// What is listed, once it is as expected or has not become so for a while.
  func listing(expecting expected: Listing) async throws -> Listing {
    Listing(try await snapshot { Listing($0) == expected })
  }

  /// The server as an outsider sees it, once it is as expected or has not become so for a while: PipeWire
  /// tells other clients a moment later, and a connection that was closed takes its streams along later,
  /// too.
  func snapshot(expecting isExpected: (ServerSnapshot) -> Bool) async throws -> ServerSnapshot {
    let deadline = ContinuousClock.now + .seconds(20)
    var (look, pauses) = (PatientLook(), Pauses())
    while true {
      let seen = try await look.snapshot(outside)
      guard !isExpected(seen), ContinuousClock.now < deadline else { return seen }
      try await pauses.pass()
    }
  }

  /// Whether the session's own connection shows what a condition says, at once or in a while: PipeWire
  /// answers the program that changes something before it tells others.
  func sessionSees(_ condition: (ServerSnapshot) -> Bool) async throws -> Bool {
    try await TestSupport.eventually { condition(try await session.snapshot()) }
  }

  /// What the session says, once it is as expected or has not become so for a while.
  func state(expecting isExpected: (SessionState) -> Bool) async throws -> SessionState {
    let deadline = ContinuousClock.now + .seconds(20)
    while true {
      let state = try await session.getSessionState()
      guard !isExpected(state), ContinuousClock.now < deadline else { return state }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Has another client change what the session restores, again where PipeWire loses the change.
  func disturb(_ change: () async throws -> Void) async throws {
    let before = try await session.getSessionState().reapplies ?? 0
    for number in 1...20 {
      noteTry(number, of: 20)
      try await change()
      let isRestored = try await TestSupport.eventually(within: .seconds(2)) {
        (try await session.getSessionState().reapplies ?? 0) > before
      }
      if isRestored { return }
    }
    Issue.record("the change was never restored")
  }

  /// Sends a message to a simulated card, as a user's hand would act.
  func act(on card: String, _ message: String, _ parameter: String) async throws {
    try await sandbox.tell(card, message, parameter)
  }

  /// Plugs a jack in, and waits for what the server itself makes of it.
  func plug(_ port: String, of card: String = Names.laptop) async throws {
    try await sandbox.plug("\(card)/\(port)")
    try await sandbox.settleCards()
  }

  /// Has another client set a volume, again where the server does not show it, as PipeWire may.
  func setInputVolume(_ volume: ChannelVolumes, of device: String) async throws {
    try await set(of: device, until: { $0.volume == volume }) {
      try await outside.setVolume(.input, device: device, volume)
    }
  }

  /// Has another client set a mute, again where the server does not show it, as PipeWire may.
  func setInputMute(_ isMuted: Bool, of device: String) async throws {
    try await set(of: device, until: { $0.isMuted == isMuted }) {
      try await outside.setMute(.input, device: device, isMuted)
    }
  }

  private func set(
    of device: String, until isSet: (Device) -> Bool, _ write: () async throws -> Void
  ) async throws {
    func shows() async throws -> Bool { try await outside.source(named: device).map(isSet) == true }
    if try await shows() { return }
    for number in 1...20 {
      noteTry(number, of: 20)
      try await write()
      if try await TestSupport.eventually(within: .seconds(1), shows) { return }
      try #require(number < 20, "a level of \(device) was not set")
    }
  }

  /// Has another client set a card's profile, and waits for what the server itself makes of it.
  func setProfile(_ profile: String, of card: String = Names.laptop) async throws {
    try await outside.setCardProfile(card, profile)
    #expect(try await eventually { $0.card(named: card)?.activeProfile == profile })
    try await sandbox.settleCards()
  }

  /// Waits on a condition of the server as an outsider sees it; on one of its modules, if told.
  ///
  /// PulseAudio 16.1 may end when it is asked for its modules right behind a change of a card's
  /// profile (see `PulseClient.snapshot`), and behind one this is called most of the time.
  func eventually(
    within limit: Duration = .seconds(20), withModules: Bool = false,
    _ condition: (ServerSnapshot) -> Bool
  ) async throws -> Bool {
    try await outside.subscribe()
    let events = await outside.events(bufferingNewest: 4096)
    let alarm = Task { [outside] in
      do { try await ContinuousClock().sleep(for: limit) } catch { return }
      // The end of the connection ends the loop below.
      await outside.close()
    }
    defer { alarm.cancel() }
    var seen = try await withModules ? outside.snapshot() : outside.snapshot(since: nil)
    if condition(seen) { return true }
    if seen.has(.silentMoves) {
      // It connects a stream to a device without an event.
      var (look, pauses) = (PatientLook(), Pauses())
      while await outside.isConnected {
        if let now = try? await look.snapshot(outside), condition(now) { return true }
        try await pauses.pass()
      }
      return false
    }
    for await event in events {
      var changes = SnapshotChanges()
      changes.note(event)
      seen = try await outside.snapshot(since: seen, changes)
      if condition(seen) { return true }
    }
    return false
  }
}

/// Readings of PipeWire, one after the other. It may tell a client what was before of a port or a volume, for
/// good: each second one is another client's.
struct PatientLook {
  private var begin = ContinuousClock.now

  mutating func snapshot(_ client: PulseClient) async throws -> ServerSnapshot {
    guard ContinuousClock.now - begin > .seconds(1) else { return try await client.snapshot() }
    begin = .now
    // A busy pipewire-pulse may never answer one connection.
    guard
      let other = try? await PulseClient.connect(
        to: await client.serverAddress, name: "later", timeout: .seconds(2))
    else { return try await client.snapshot() }
    let snapshot = try? await other.snapshot()
    await other.close()
    if let snapshot { return snapshot }
    return try await client.snapshot()
  }
}
