import POSIX

/// The streams of this process that ended because their frames disagreed with the clock, the last ones.
///
/// The owner of such a stream gets the error. The tests look here, because an owner may let the error pass, or
/// be gone by then.
enum WrongRates {
  private static let most = 100
  private static let found = Guarded<[(server: String?, stream: String)]>([])

  /// Notes a stream that has ended, on its watching thread.
  static func note(_ error: StreamError?, of request: StreamRequest) {
    guard let error, error.isWrongRate else { return }
    found.withLock { found in
      if found.count == most { found.removeFirst() }
      found.append((request.server, "'\(request.name)': \(error)"))
    }
  }

  /// The streams on a server: the name of each, and its error. They are forgotten then.
  static func take(on server: String?) -> [String] {
    found.withLock { found in
      let taken = found.filter { $0.server == server }.map(\.stream)
      found.removeAll { $0.server == server }
      return taken
    }
  }
}
