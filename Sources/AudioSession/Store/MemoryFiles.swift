import Pulse

/// Files of a store that live and die with the process.
final class MemoryFiles: @unchecked Sendable {  // everything is behind `lock`
  private let lock = Lock()
  private var contents: [String: [UInt8]] = [:]

  func read(_ path: String) -> [UInt8]? { lock.withLock { contents[path] } }

  func write(_ bytes: [UInt8], to path: String) { lock.withLock { contents[path] = bytes } }

  func remove(_ path: String) { lock.withLock { contents[path] = nil } }
}
