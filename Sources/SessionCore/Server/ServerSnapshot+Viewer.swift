public import PulseTypes

/// A session of one program, `scope = "application"`, sees the server with its process as the
/// viewer: only that program's streams are its own, and only its pins.
extension ServerSnapshot {
  /// Whether a session is about the viewer's own streams only.
  public var isOfOneProgram: Bool { viewer != nil }

  /// The pins on a device that are of the session which looks at it.
  func pins(on device: Device) -> [Stream] {
    let owner = viewer.map(String.init)
    return streams(on: device).filter {
      $0.properties[Owned.pinKey] != nil && $0.properties[Owned.processKey] == owner
    }
  }

  /// The process that a stream is of, as it says itself, or its client.
  public func process(of stream: Stream) -> String? {
    let key = "application.process.id"
    return stream.properties[key] ?? client(of: stream)?.properties[key]
  }

  /// Whether a stream is one of the viewer's program.
  func isViewers(_ stream: Stream) -> Bool {
    viewer.map { process(of: stream) == String($0) } ?? false
  }

  /// Whether the program of a stream has a session of its own, which says where its streams go.
  func hasOwnSession(_ stream: Stream) -> Bool {
    // The stream says so itself where it can: what its client says may come later.
    if stream.properties[Owned.scopeKey] == Scope.application.rawValue { return true }
    guard let process = process(of: stream) else { return false }
    return clients(having: Owned.scopeKey).contains { client in
      client.properties[Owned.scopeKey] == Scope.application.rawValue
        && client.properties["application.process.id"] == process
    }
  }

  /// The streams of the viewer's program that go where its session says: no level meters,
  /// and none that were opened on a device by name.
  func viewersStreams(_ direction: Direction) -> [Stream] {
    streams(direction).filter { stream in
      isViewers(stream) && !isOwned(stream) && !stream.isOnlooker
        && stream.properties[Owned.fixedKey] == nil
    }
  }
}

extension Stream {
  /// The buffer that the stream asks PipeWire for, as `480/48000`; nil on PulseAudio.
  var askedLatency: Duration? {
    let words = (properties["node.latency"] ?? "").split(separator: "/").compactMap { Int($0) }
    guard words.count == 2, words[0] >= 0, words[1] > 0 else { return nil }
    return Graph.duration(frames: words[0], rate: words[1])
  }
}
