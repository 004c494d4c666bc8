package import PulseTypes

/// A session of one program (`scope = "application"`) sees the server with its process as the
/// viewer: only that program's streams and pins are its own.
extension ServerSnapshot {
  /// Whether the session controls only the viewer's own streams.
  package var isOfOneProgram: Bool { viewer != nil }

  /// The process of a stream, according to the stream or its client.
  package func process(of stream: Stream) -> String? {
    let key = "application.process.id"
    return stream.properties[key] ?? client(of: stream)?.properties[key]
  }

  /// Whether the program of a stream has its own session, which routes its streams.
  func hasOwnSession(_ stream: Stream) -> Bool {
    // Prefers the stream's own property, because the client's may arrive later.
    if stream.properties[Owned.scopeKey] == Scope.application.rawValue { return true }
    let sessions = clients(having: Owned.scopeKey)
    guard !sessions.isEmpty, let process = process(of: stream) else { return false }
    return sessions.contains { client in
      client.properties[Owned.scopeKey] == Scope.application.rawValue
        && client.properties["application.process.id"] == process
    }
  }

  /// The streams of the viewer's program that its session routes: no level meters, and none that
  /// were opened on a device by name.
  func viewersStreams(_ direction: Direction) -> [Stream] {
    guard let viewer else { return [] }
    return streams(direction).filter { stream in
      process(of: stream) == String(viewer) && !isOwned(stream) && !stream.isOnlooker
        && stream.properties[Owned.fixedKey] == nil
    }
  }

  /// Those of them on a device, also through the chain of another session.
  func viewersStreams(on device: Device) -> [Stream] {
    viewersStreams(device.direction).filter { stream in
      self.device(device.direction, at: stream.device).flatMap { chain.root(of: $0) }?.index
        == device.index
    }
  }

  /// Those streams and the devices that they are on; not one that records a monitor, which stays there,
  /// unless the mode's device is a monitor.
  ///
  /// - Parameter meant: the name of the mode's device, or of its chain's end.
  func viewersPlaces(
    _ direction: Direction, beside meant: String?
  ) -> [(stream: Stream, device: Device)] {
    viewersStreams(direction).compactMap { stream in
      device(direction, at: stream.device).map { (stream, $0) }
    }.filter { _, device in !device.isMonitor || device.name == meant }
  }

  /// The device that those streams use: the mode's if one of them is on it; nil without any.
  func viewersDevice(_ direction: Direction, beside meant: Device?) -> Device? {
    let devices = viewersPlaces(direction, beside: meant?.name).map(\.device)
    return devices.first { chain.root(of: $0)?.name == meant?.name } ?? devices.first
  }
}

extension Stream {
  /// The buffer that the stream requests from PipeWire, as `480/48000`; nil on PulseAudio.
  var askedLatency: Duration? {
    let words = (properties["node.latency"] ?? "").split(separator: "/").compactMap { Int($0) }
    guard words.count == 2, words[0] >= 0, words[1] > 0 else { return nil }
    return Graph.duration(frames: words[0], rate: words[1])
  }
}
