internal import POSIX

/// Passes each element to every stream of elements. Any thread may call it.
package final class Readers<Element: Sendable>: Sendable {
  private struct State {
    var readers: [UInt64: AsyncStream<Element>.Continuation] = [:]
    var lastID: UInt64 = 0
    var isOver = false
  }

  private let state = Guarded(State())

  package init() {}

  package var isEmpty: Bool { state.withLock { $0.readers.isEmpty } }

  /// Makes a stream, which keeps this many unread elements: a slow reader loses the oldest.
  package func makeStream(limit: Int) -> AsyncStream<Element> {
    let (stream, reader) = AsyncStream.makeStream(
      of: Element.self, bufferingPolicy: .bufferingNewest(limit))
    let id: UInt64? = state.withLock { state in
      guard !state.isOver else { return nil }
      state.lastID += 1
      state.readers[state.lastID] = reader
      return state.lastID
    }
    guard let id else {
      reader.finish()
      return stream
    }
    reader.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.readers.removeValue(forKey: id) }
    }
    return stream
  }

  package func send(_ element: Element) {
    for reader in state.withLock({ $0.readers.values }) { reader.yield(element) }
  }

  /// Ends the streams that there are.
  ///
  /// - Parameter isLast: whether later ones end at once, too.
  package func finish(isLast: Bool = false) {
    let last = state.withLock { state in
      defer { state.readers = [:] }
      state.isOver = isLast
      return state.readers.values
    }
    for reader in last { reader.finish() }
  }
}
