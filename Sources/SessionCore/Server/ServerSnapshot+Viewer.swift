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
    guard let process = process(of: stream) else { return false }
    return clients(having: Owned.scopeKey).contains { client in
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
}

extension Stream {
  /// The buffer that the stream requests from PipeWire, as `480/48000`; nil on PulseAudio.
  var askedLatency: Duration? {
    let words = (properties["node.latency"] ?? "").split(separator: "/").compactMap { Int($0) }
    guard words.count == 2, words[0] >= 0, words[1] > 0 else { return nil }
    return Graph.duration(frames: words[0], rate: words[1])
  }
}
