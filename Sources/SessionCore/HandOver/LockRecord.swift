/// The contents of the lock's file: which process has or released the lock, and which ones were
/// interrupted.
///
/// The lock itself is the kernel's; its owner writes the record, every process reads it.
package struct LockRecord: Sendable, Hashable {
  /// A process with the lock.
  package struct Owner: Sendable, Hashable, RunningProgram {
    package var pid: Int32
    /// Whether the process keeps the lock beyond one command.
    package var isHolding: Bool
    package var name: String

    package init(pid: Int32, name: String, isHolding: Bool) {
      self.pid = pid
      self.name = name
      self.isHolding = isHolding
    }
  }

  package enum Last: Sendable, Hashable {
    case nothing
    case taken(Owner)
    /// Released, and the process for which it was released, if any.
    case released(by: Int32, to: Int32?)
  }

  package var last = Last.nothing
  /// The interrupted processes that resume later, the last interrupted first.
  package var interrupted: [Int32] = []

  package init() {}

  /// The process that has the lock, if any.
  package var owner: Owner? { if case .taken(let owner) = last { owner } else { nil } }

  /// The record after a process has taken the lock.
  ///
  /// - Parameter isRunning: processes that have ended do not resume.
  package func taken(by owner: Owner, isRunning: (Int32) -> Bool) -> LockRecord {
    var result = self
    // A process that should have resumed earlier, and did not, is not waited for again.
    if let at = interrupted.firstIndex(of: owner.pid) {
      result.interrupted.removeFirst(at + 1)
    } else if let next = self.next(isRunning), next != owner.pid {
      result.interrupted.removeAll { $0 == next }
    }
    result.interrupted.removeAll { !isRunning($0) }
    result.last = .taken(owner)
    return result
  }

  /// The record after its process has released the lock.
  ///
  /// - Parameter taker: the process that interrupts it; nil if it ends.
  package func released(by process: Int32, to taker: Int32?) -> LockRecord {
    var result = self
    result.last = .released(by: process, to: taker)
    if taker != nil {
      result.interrupted.removeAll { $0 == process }
      result.interrupted.insert(process, at: 0)
    }
    return result
  }
}

extension LockRecord {
  /// All records have this length, so that writing one needs no space on a full disk and overwrites
  /// a longer one completely.
  package static let length = 512
  private static let mostInterrupted = 32

  /// The record in the file's format.
  package var bytes: [UInt8] {
    var lines: [String] = []
    switch last {
    case .nothing: break
    case .taken(let owner):
      lines.append("\(owner.pid) \(owner.isHolding ? "holder" : "command") \(owner.name)")
    case .released(let process, let taker):
      lines.append("released \(process)" + (taker.map { " to \($0)" } ?? ""))
    }
    if !interrupted.isEmpty {
      let ids = interrupted.prefix(Self.mostInterrupted).map { " \($0)" }.joined()
      lines.append("interrupted" + ids)
    }
    let text = Array(lines.map { $0 + "\n" }.joined().utf8.prefix(Self.length))
    return text + Array(repeating: UInt8(ascii: "\n"), count: Self.length - text.count)
  }

  /// Parses a record; an invalid or incomplete one is empty.
  package init(bytes: [UInt8]) {
    // The rest of the file is empty lines.
    let end = bytes.lastIndex { $0 != UInt8(ascii: "\n") }.map { $0 + 1 } ?? 0
    for line in String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 2)
      switch words.first {
      case "interrupted":
        interrupted = line.split(separator: " ").dropFirst().compactMap { Int32($0) }
      case "released" where words.count > 1:
        guard let process = Int32(words[1]) else { continue }
        let to = words.count > 2 ? words[2].split(separator: " ") : []
        last = .released(by: process, to: to.first == "to" ? to.last.flatMap { Int32($0) } : nil)
      default:
        guard words.count == 3, let pid = Int32(words[0]), pid > 0 else { continue }
        last = .taken(
          Owner(pid: pid, name: String(words[2]), isHolding: words[1] == "holder"))
      }
    }
  }
}
