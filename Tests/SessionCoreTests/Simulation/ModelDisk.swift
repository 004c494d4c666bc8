import SessionCore
import TestSupport

/// A folder of files in memory, with what is on the disk of it: what was not synced may be lost when the
/// power goes, names and contents apart from each other.
final class ModelDisk: @unchecked Sendable {  // a simulation has one thread
  private final class Node {
    var content: [UInt8] = []
    /// What is on the disk; nil while nothing of it is.
    var synced: [UInt8]?
    var exclusive: Int32?
    var shared: Set<Int32> = []
  }

  private struct Descriptor {
    var node: Node
    var path: String
    var mode: FileMode
    var process: Int32
  }

  private var names: [String: Node] = [:]
  private var syncedNames: [String: Node] = [:]
  /// What happened to the names since they were synced.
  private var unsyncedNames: [(path: String, node: Node?)] = []
  private var descriptors: [Int32: Descriptor] = [:]
  private var lastDescriptor: Int32 = 2
  private(set) var running: Set<Int32> = []
  /// Gets the path of each file that appears, goes, or is closed after writing.
  var onChange: (String) -> Void = { _ in }
  /// Asked before each call of a process; false where the process dies instead.
  var mayCall: (_ process: Int32, _ call: String) -> Bool = { _, _ in true }

  func start(_ process: Int32) { running.insert(process) }

  /// Ends a process: the kernel closes its files, in their order.
  func end(_ process: Int32) {
    guard running.remove(process) != nil else { return }
    for (number, file) in descriptors.sorted(by: { $0.key < $1.key }) where file.process == process
    {
      close(number)
    }
  }

  /// The content of a file, for the checks.
  func content(of path: String) -> [UInt8]? { names[path]?.content }

  /// What would be certain of a file if the power went now; nil where nothing is.
  func certain(_ path: String) -> [UInt8]? {
    let isPending = unsyncedNames.contains { $0.path == path }
    guard let node = isPending ? nil : syncedNames[path], node.synced == node.content else {
      return nil
    }
    return node.content
  }

  /// All that may be left of a file if the power went now; nil among them where it may be missing or cut
  /// short.
  func possible(_ path: String) -> [[UInt8]?] {
    let pending = unsyncedNames.filter { $0.path == path }.map(\.node)
    return ([syncedNames[path]] + pending).map { node in
      node?.synced == node?.content ? node?.synced : nil
    }
  }

  func isFolder(_ file: Int32) -> Bool { descriptors[file]?.mode == .folder }

  /// Who has a file locked for itself.
  func locker(of path: String) -> Int32? {
    names[path]?.exclusive.flatMap { descriptors[$0]?.process }
  }

  /// Every process ends, and what was not synced is there, or not, or in part.
  func cutPower(_ random: inout SeededRandom) {
    running = []
    descriptors = [:]
    names = syncedNames
    for change in unsyncedNames where random.chance(1, in: 2) { names[change.path] = change.node }
    unsyncedNames = []
    for path in names.keys.sorted() {
      guard let node = names[path] else { continue }
      if node.synced != node.content {
        let part = Array(node.content.prefix(random.below(node.content.count + 1)))
        node.content = random.element(of: [node.synced ?? [], [], part, node.content])
      }
      (node.synced, node.exclusive, node.shared) = (node.content, nil, [])
    }
    syncedNames = names
  }

  fileprivate func begin(_ process: Int32, _ call: String) throws(FileError) {
    guard running.contains(process) else { throw FileError(.other, "the process has ended") }
    guard mayCall(process, call) else {
      end(process)
      throw FileError(.other, "the process has ended")
    }
  }

  fileprivate func open(
    _ path: String, _ mode: FileMode, _ process: Int32
  ) throws(FileError) -> Int32 {
    let node: Node
    if let there = names[path] {
      node = there
      if mode == .replacing { node.content = [] }
    } else {
      guard mode != .reading else { throw FileError(.missing, "no such file") }
      node = Node()
      if mode != .folder { name(path, node) }
    }
    lastDescriptor += 1
    descriptors[lastDescriptor] = Descriptor(node: node, path: path, mode: mode, process: process)
    return lastDescriptor
  }

  private func name(_ path: String, _ node: Node?) {
    names[path] = node
    unsyncedNames.append((path, node))
  }

  fileprivate func read(_ file: Int32, _ limit: Int) -> [UInt8] {
    Array(descriptors[file]?.node.content.prefix(limit) ?? [])
  }

  fileprivate func write(_ bytes: [UInt8], _ file: Int32) {
    guard let node = descriptors[file]?.node else { return }
    node.content = bytes + node.content.dropFirst(bytes.count)
  }

  fileprivate func sync(_ file: Int32) {
    guard let file = descriptors[file] else { return }
    guard file.mode == .folder else { return file.node.synced = file.node.content }
    syncedNames = names
    unsyncedNames = []
  }

  fileprivate func close(_ number: Int32) {
    guard let file = descriptors[number] else { return }
    // The kernel tells of it before the lock is free.
    if file.mode == .signing || file.mode == .replacing { onChange(file.path) }
    unlock(number)
    descriptors[number] = nil
  }

  fileprivate func lock(_ number: Int32, _ kind: LockKind) -> Bool {
    guard let node = descriptors[number]?.node else { return false }
    let others = node.shared.subtracting([number])
    guard node.exclusive == nil || node.exclusive == number, kind == .shared || others.isEmpty
    else { return false }
    unlock(number)
    if kind == .shared { node.shared.insert(number) } else { node.exclusive = number }
    return true
  }

  fileprivate func unlock(_ number: Int32) {
    guard let node = descriptors[number]?.node else { return }
    if node.exclusive == number { node.exclusive = nil }
    node.shared.remove(number)
  }

  fileprivate func rename(_ path: String, _ new: String) throws(FileError) {
    guard let node = names[path] else { throw FileError(.missing, "no such file") }
    name(path, nil)
    name(new, node)
    onChange(new)
  }

  fileprivate func unlink(_ path: String) {
    guard names[path] != nil else { return }
    name(path, nil)
    onChange(path)
  }
}

/// The calls of one process of the simulation.
struct ModelCalls: FileCalls {
  let disk: ModelDisk
  let process: Int32

  func open(_ path: String, _ mode: FileMode) throws(FileError) -> Int32 {
    try disk.begin(process, "open")
    return try disk.open(path, mode, process)
  }

  func read(_ file: Int32, atMost limit: Int) throws(FileError) -> [UInt8] {
    try disk.begin(process, "read")
    return disk.read(file, limit)
  }

  func write(_ bytes: [UInt8], to file: Int32) throws(FileError) {
    try disk.begin(process, "write")
    disk.write(bytes, file)
  }

  func sync(_ file: Int32) throws(FileError) {
    try disk.begin(process, "sync")
    disk.sync(file)
  }

  func close(_ file: Int32) throws(FileError) {
    try disk.begin(process, "close")
    disk.close(file)
  }

  func lock(_ file: Int32, _ kind: LockKind) throws(FileError) -> Bool {
    try disk.begin(process, "lock")
    return disk.lock(file, kind)
  }

  func unlock(_ file: Int32) {
    guard (try? disk.begin(process, "unlock")) != nil else { return }
    disk.unlock(file)
  }

  func rename(_ path: String, to new: String) throws(FileError) {
    try disk.begin(process, "rename")
    try disk.rename(path, new)
  }

  func unlink(_ path: String) throws(FileError) {
    try disk.begin(process, "unlink")
    disk.unlink(path)
  }

  func isRunning(_ process: Int32) -> Bool { disk.running.contains(process) }
}
