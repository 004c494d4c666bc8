package import PulseTypes

/// How the session recognizes its own objects on a server, whichever process made them: by a
/// property.
package enum Owned {
  /// The `application.id` of the session's clients and streams.
  package static let applicationID = "org.audiosession"
  /// The property of the session's devices.
  package static let roleKey = "audiosession.role"
  /// Its value for a remap.
  package static let remapRole = "remap"
  /// Its value for both devices of an echo canceller.
  package static let echoRole = "echo"
  /// Its value for combined outputs.
  package static let combineRole = "combine"
  /// The property of combined outputs: the name of the first of them.
  package static let primaryKey = "audiosession.primary"
  /// The name of the session's combined outputs.
  package static let combineName = "audiosession.combined"
  /// The property of an echo canceller's source: its method and rate, `webrtc 48000`.
  package static let echoKey = "audiosession.echo"
  /// The property of the session's pins: `rate` or `latency`.
  package static let pinKey = "audiosession.pin"
  /// The value of ``pinKey`` for a stream that has the stored values of a program's streams.
  package static let memoryPin = "memory"
  /// The value of ``pinKey`` for a stream that runs a device while a value is written to it.
  package static let wakePin = "wake"
  /// The property of a pin of a session of one program: the program's process id.
  package static let processKey = "audiosession.process"
  /// The property of a program's client or stream whose own session routes the streams.
  package static let scopeKey = "audiosession.scope"
  /// The property of a stream that its program opened on a device by name, so that it stays there.
  package static let fixedKey = "audiosession.fixed"
  /// The property of a latency pin: the preferred duration in microseconds.
  package static let pinLatencyKey = "audiosession.pin.latency"

  /// The properties by which a session often looks up objects.
  package static let soughtProperties = [
    roleKey, pinKey, pinLatencyKey, scopeKey, HolderMark.key, "media.role", "wireplumber.daemon",
  ]

  /// The name of the session's remap of a direction.
  package static func name(_ direction: Direction) -> String {
    "audiosession.\(direction.rawValue)"
  }

  /// The name of the echo canceller's device of a direction.
  package static func echoName(_ direction: Direction) -> String {
    "audiosession.echo.\(direction.rawValue)"
  }

  /// Whether a device with this name belongs to the session.
  package static func isName(_ name: String) -> Bool { name.hasPrefix("audiosession.") }
}

extension ServerSnapshot {
  /// Whether the session made the device, or it is the monitor of one that it made.
  package func isOwned(_ device: Device) -> Bool {
    if device.properties[Owned.roleKey] != nil { return true }
    guard device.isMonitor, let sink = device.monitor.flatMap({ self.device(.output, named: $0) })
    else { return false }
    return sink.properties[Owned.roleKey] != nil
  }

  /// Whether the stream belongs to the session: a pin, or the stream of an owned device.
  package func isOwned(_ stream: Stream) -> Bool {
    if stream.properties[Owned.pinKey] != nil { return true }
    guard let module = stream.ownerModule else { return false }
    return chain.ownedDevices(stream.direction).contains { $0.ownerModule == module }
  }

  /// Other programs' streams on a device, running or not, without level meters and the session's
  /// own.
  func foreignStreams(on device: Device) -> [Stream] {
    streams(on: device) { !isOwned($0) && !$0.isOnlooker }
  }

  /// The name of a stream's program, for users.
  package func programName(of stream: Stream) -> String {
    let names = [stream.properties["application.name"], client(of: stream)?.name, stream.name]
    return names.lazy.compactMap { $0 }.first { !$0.isEmpty } ?? "a program"
  }
}
