import Glibc
import POSIX
import Pulse
import TestSupport
import Testing

/// A socket between a client and a server, where replies can come late, in part, or not at all, and
/// where nobody may be reading.
///
/// Reads PulseAudio's frames: twenty bytes that begin with the length and the channel, then, in a
/// frame of commands, `L` and the command, `L` and the tag.
final class Proxy: Sendable {
  /// What becomes of a request or its reply.
  enum Fate: Sendable, Equatable {
    case pass
    /// It comes so much later, and so does all behind it.
    case late(milliseconds: UInt32)
    /// Half of it comes, then the end of the connection.
    case cut
    /// The request does not reach the server; the reply is an error with this number (libpulse:
    /// `pa_error_code`).
    case refused(UInt32)
    /// It never comes, nor does anything behind it.
    case lost
  }

  /// What becomes of each request that changes something.
  enum WriteFate: Sendable {
    case pass
    /// It does not reach the server; the reply is an error with this number.
    case refused(UInt32)
    /// It does not reach the server; the reply says that it is done. What has an answer with content (a new
    /// stream, a module) passes.
    case ignored
  }

  private struct State {
    var fate = Fate.pass
    var writes = WriteFate.pass
    /// How many writes the server did not get.
    var keptWrites = 0
    /// Replies until the fate strikes; one at a time but for those that are late.
    var left = 0
    var hasStruck = false
    var isReading = true
    var isOpen = true
    var descriptors: Set<Int32> = []
    /// How many replies have come.
    var replies = 0
    /// Requests with this text do not reach the server, and get no reply.
    var swallowed: [UInt8]?
    var swallows = 0
    /// Clients to whom nothing comes any more.
    var silent: Set<Int32> = []
  }

  /// What a client connects to.
  let address: String
  private let path: String
  private let server: String
  private let listener: Int32
  private let state = Guarded(State())

  /// - Parameter address: of the server, a Unix socket.
  init(to address: String) throws {
    server = String(address.dropFirst("unix:".count))
    path = server + ".proxy"
    self.address = "unix:" + path
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let bound = UnixAddress(path)?.with { bind(listener, $0, $1) }
    try #require(bound == 0 && listen(listener, 8) == 0)
    try? detachThread { [self] in
      while case let client = accept(listener, nil, nil), client >= 0 { join(client) }
    }
  }

  /// The nth reply from now on has this fate; where it is late, all behind it, too.
  func strike(_ fate: Fate, at number: Int = 1) {
    state.withLock { state in
      state.fate = fate
      state.left = number
      state.hasStruck = false
    }
  }

  /// From now on the server does not get requests that have this text in them, and answers none.
  func swallow(_ text: String?) { state.withLock { $0.swallowed = text.map { Array($0.utf8) } } }

  /// From now on all changes have this fate.
  func meddle(_ fate: WriteFate) { state.withLock { $0.writes = fate } }

  /// How many changes the server did not get.
  var keptWrites: Int { state.withLock { $0.keptWrites } }

  /// How many requests the server did not get.
  var swallows: Int { state.withLock { $0.swallows } }

  /// How many replies have come through.
  var replies: Int { state.withLock { $0.replies } }

  /// From now on all goes well; a connection on which something was lost stays as it is.
  func behave() {
    state.withLock { state in
      state.fate = .pass
      state.isReading = true
    }
  }

  /// From now on nothing that a client sends is read.
  func stopReading() { state.withLock { $0.isReading = false } }

  /// Whether the fate has struck.
  var hasStruck: Bool { state.withLock { $0.hasStruck } }

  /// Ends every connection, and the socket.
  func end() {
    state.withLock { state in
      state.isOpen = false
      for descriptor in state.descriptors { shutdown(descriptor, Int32(SHUT_RDWR)) }
      shutdown(listener, Int32(SHUT_RDWR))
    }
    unlink(path)
  }

  private func join(_ client: Int32) {
    let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard UnixAddress(server)?.with({ connect(upstream, $0, $1) }) == 0 else {
      close(upstream)
      close(client)
      return
    }
    let isOpen = state.withLock { state in
      state.descriptors.formUnion([client, upstream])
      return state.isOpen
    }
    if !isOpen { hangUp(client, upstream) }
    try? detachThread { [self] in
      while awaitReading(), let frame = Frame(from: client) {
        guard forward(frame, to: upstream, from: client) else { break }
      }
      hangUp(client, upstream)
    }
    try? detachThread { [self] in
      while let frame = Frame(from: upstream), deliver(frame, to: client) {}
      hangUp(client, upstream)
    }
  }

  /// False at the end of the connection.
  private func forward(_ frame: Frame, to upstream: Int32, from client: Int32) -> Bool {
    if frame.isRequest, let code = refusal() {
      return state.withLock { _ in frame.refused(code).write(to: client) }
    }
    if let answer = answer(to: frame) { return state.withLock { _ in answer.write(to: client) } }
    let isSwallowed = state.withLock { state in
      guard frame.isRequest, let text = state.swallowed, frame.has(text) else { return false }
      state.swallows += 1
      return true
    }
    return isSwallowed || frame.withoutSharedMemory().write(to: upstream)
  }

  /// What a change gets for an answer that the server does not get.
  private func answer(to frame: Frame) -> Frame? {
    state.withLock { state in
      let answer: Frame? =
        switch state.writes {
        case .pass: nil
        case .refused(let code): frame.isWrite ? frame.refused(code) : nil
        case .ignored: frame.isPlainWrite ? frame.acknowledged() : nil
        }
      if answer != nil { state.keptWrites += 1 }
      return answer
    }
  }

  /// The error of the request that is to be refused.
  private func refusal() -> UInt32? {
    state.withLock { state in
      guard case .refused(let code) = state.fate, state.left > 0 else { return nil }
      state.left -= 1
      guard state.left == 0 else { return nil }
      state.hasStruck = true
      return code
    }
  }

  /// False at the end of the connection.
  private func deliver(_ frame: Frame, to client: Int32) -> Bool {
    if state.withLock({ $0.silent.contains(client) }) { return true }
    switch fate(of: frame) {
    case .pass, .refused: return state.withLock { _ in frame.write(to: client) }
    case .late(let milliseconds):
      usleep(milliseconds * 1000)  // the delay is what is tested
      return frame.write(to: client)
    case .cut:
      _ = frame.write(to: client, isWhole: false)
      return false
    case .lost:
      state.withLock { _ = $0.silent.insert(client) }
      return true
    }
  }

  private func fate(of frame: Frame) -> Fate {
    guard frame.isReply else { return .pass }
    return state.withLock { state in
      state.replies += 1
      if state.fate == .pass { return .pass }
      if case .refused = state.fate { return .pass }
      state.left -= 1
      if case .late = state.fate {} else if state.left < 0 { return .pass }
      guard state.left <= 0 else { return .pass }
      state.hasStruck = true
      return state.fate
    }
  }

  /// Waits while nothing is to be read; false once the proxy has ended.
  private func awaitReading() -> Bool {
    while true {
      let (isReading, isOpen) = state.withLock { ($0.isReading, $0.isOpen) }
      guard isOpen else { return false }
      if isReading { return true }
      usleep(1000)
    }
  }

  /// Both sides end; the numbers stay taken until the test's process ends, lest another file get them.
  private func hangUp(_ client: Int32, _ upstream: Int32) {
    shutdown(client, Int32(SHUT_RDWR))
    shutdown(upstream, Int32(SHUT_RDWR))
  }
}

/// One frame of the native protocol.
private struct Frame {
  private var bytes: [UInt8]

  /// Reads the next one; nil at the end.
  init?(from descriptor: Int32) {
    guard let head = Self.read(20, from: descriptor) else { return nil }
    let length = head.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    guard length <= 1 << 24, let body = Self.read(length, from: descriptor) else { return nil }
    bytes = head + body
  }

  /// A command's number, where it is a frame of commands.
  private var command: UInt32? {
    guard bytes.count >= 30, bytes[4..<8].allSatisfy({ $0 == 0xFF }) else { return nil }
    return number(at: 21)
  }

  /// Whether it answers a request (`PA_COMMAND_ERROR` or `PA_COMMAND_REPLY`).
  var isReply: Bool { command == 0 || command == 2 }

  /// Whether it asks for something, beyond the greeting.
  var isRequest: Bool { command.map { $0 > 2 && $0 != 8 } ?? false }

  /// Whether it changes a device, a card, a stream, a default or the modules, and is answered without content
  /// (`PA_COMMAND_SET_…` and `PA_COMMAND_MOVE_…`).
  var isPlainWrite: Bool {
    let plain: [ClosedRange<UInt32>] = [36...40, 44...45, 67...69, 90...90, 96...100]
    return command.map { command in plain.contains { $0.contains(command) } } ?? false
  }

  /// The same, and what is answered with content: a stream or a module.
  var isWrite: Bool { isPlainWrite || command.map { [3, 5, 51, 52].contains($0) } ?? false }

  func has(_ text: [UInt8]) -> Bool { bytes.firstRange(of: text) != nil }

  /// An answer to it that is an error.
  func refused(_ code: UInt32) -> Frame {
    var frame = self
    frame.bytes = Array(bytes[..<30]) + [UInt8(ascii: "L")] + Self.bytes(of: code)
    frame.bytes.replaceSubrange(21..<25, with: Self.bytes(of: 0))
    frame.bytes.replaceSubrange(0..<4, with: Self.bytes(of: 15))
    return frame
  }

  /// An answer to it that says that it is done.
  func acknowledged() -> Frame {
    var frame = self
    frame.bytes = Array(bytes[..<30])
    frame.bytes.replaceSubrange(21..<25, with: Self.bytes(of: 2))
    frame.bytes.replaceSubrange(0..<4, with: Self.bytes(of: 10))
    return frame
  }

  /// A greeting (`PA_COMMAND_AUTH`) that offers no shared memory: descriptors do not pass here.
  func withoutSharedMemory() -> Frame {
    guard command == 8, bytes.count >= 35 else { return self }
    var frame = self
    frame.bytes.replaceSubrange(31..<35, with: Self.bytes(of: number(at: 31) & 0xFFFF))
    return frame
  }

  func write(to descriptor: Int32, isWhole: Bool = true) -> Bool {
    var rest = bytes[..<(isWhole ? bytes.count : bytes.count / 2)]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private func number(at place: Int) -> UInt32 {
    bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func bytes(of number: UInt32) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  private static func read(_ count: Int, from descriptor: Int32) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var buffer = [UInt8](repeating: 0, count: min(count - bytes.count, 1 << 16))
      let got = recv(descriptor, &buffer, buffer.count, 0)
      guard got > 0 else { return nil }
      bytes += buffer[..<got]
    }
    return bytes
  }
}
