import Glibc
import POSIX
import SessionCore

/// Files of a store in memory, which end with the process.
final class MemoryFiles: FileCalls {
  private struct State {
    var contents: [String: [UInt8]] = [:]
    var open: [Int32: String] = [:]
    var last: Int32 = 0
  }

  private let state = Guarded(State())

  let process = getpid()

  func open(_ path: String, _ mode: FileMode) throws(FileError) -> Int32 {
    let file: Int32? = state.withLock { state in
      if mode == .reading, state.contents[path] == nil { return nil }
      if mode == .replacing { state.contents[path] = [] }
      state.last += 1
      state.open[state.last] = path
      return state.last
    }
    guard let file else { throw FileError(.missing, "there is no such file") }
    return file
  }

  func read(_ file: Int32, atMost limit: Int) -> [UInt8] {
    state.withLock { state in
      let content = state.open[file].flatMap { state.contents[$0] } ?? []
      return Array(content.prefix(limit))
    }
  }

  func write(_ bytes: [UInt8], to file: Int32) {
    state.withLock { state in
      guard let path = state.open[file] else { return }
      state.contents[path] = bytes + (state.contents[path] ?? []).dropFirst(bytes.count)
    }
  }

  func sync(_ file: Int32) {}

  func close(_ file: Int32) { state.withLock { $0.open[file] = nil } }

  func lock(_ file: Int32, _ kind: LockKind) -> Bool { true }

  func unlock(_ file: Int32) {}

  func rename(_ path: String, to new: String) throws(FileError) {
    let isThere = state.withLock { state in
      guard let content = state.contents.removeValue(forKey: path) else { return false }
      state.contents[new] = content
      return true
    }
    if !isThere { throw FileError(.missing, "there is no such file") }
  }

  func unlink(_ path: String) { state.withLock { $0.contents[path] = nil } }

  func isRunning(_ process: Int32) -> Bool { process == self.process }
}
