import POSIX
import SessionCore

/// Which processes listen on sockets, and which have a sound card open, read from `/proc`. It makes
/// no connection, so that it starts no service.
///
/// The processes of other users remain unknown.
struct ProcessTable {
  /// The processes that have each socket, by inode number.
  private var holders: [String: [MachineFacts.Program]] = [:]
  /// The inode numbers of the listening sockets, by path.
  private let listening: [String: [String]]
  /// Whether the sockets are known.
  private let seesSockets: Bool
  /// The processes that have a sound card open.
  private(set) var cardUsers: [MachineFacts.Program] = []

  /// Reads the current table.
  init() {
    let sockets = File.text("/proc/net/unix")
    (seesSockets, listening) = (!sockets.isEmpty, Self.listening(in: sockets))
    let wanted = Set(listening.values.joined())
    for process in Folder.names("/proc").compactMap({ Int32($0) }) {
      read(process, wanted)
    }
  }

  private mutating func read(_ process: Int32, _ wanted: Set<String>) {
    let folder = "/proc/\(process)/fd"
    var cards: Set<String> = []
    for name in Folder.names(folder) {
      guard let target = File.link("\(folder)/\(name)") else { continue }
      if let card = Self.card(target) {
        cards.insert(card)
      } else if target.hasPrefix("socket:["),
        wanted.contains(String(target.dropFirst(8).dropLast()))
      {
        holders[String(target.dropFirst(8).dropLast()), default: []].append(Self.program(process))
      }
    }
    guard !cards.isEmpty else { return }
    var program = Self.program(process)
    program.cards = cards
    cardUsers.append(program)
  }

  /// The number of a card in `/dev/snd/pcmC1D0p` and `/dev/snd/controlC1`.
  private static func card(_ path: String) -> String? {
    for prefix in ["/dev/snd/pcmC", "/dev/snd/controlC"] where path.hasPrefix(prefix) {
      return String(path.dropFirst(prefix.count).prefix(while: \.isNumber))
    }
    return nil
  }

  /// The process that listens on a path; of a service manager and a server, the server. Nil if none
  /// listens, `.some(nil)` if the process is unknown.
  func listener(at path: String) -> MachineFacts.Program?? {
    guard let numbers = listening[File.real(path) ?? path] else { return nil }
    let programs = numbers.flatMap { holders[$0] ?? [] }
    return .some(programs.first { $0.name != "systemd" } ?? programs.first)
  }

  /// Whether the server that answers at this address runs elsewhere: no process of this machine, or of
  /// this container, listens there, or only one that forwards connections.
  func isForwarded(_ address: String) -> Bool {
    guard address.hasPrefix("unix:"), seesSockets else { return false }
    guard let program = listener(at: String(address.dropFirst(5))) else { return true }
    return ["ssh", "sshd", "sshd-session", "socat"].contains(program?.name)
  }

  /// The variables with which a process was started; nil if they cannot be read.
  static func environment(of process: Int32) -> [String: String]? {
    guard let bytes = try? File.bytes(of: "/proc/\(process)/environ") else { return nil }
    var result: [String: String] = [:]
    for entry in bytes.split(separator: 0) {
      let text = String(decoding: entry, as: UTF8.self)
      guard let at = text.firstIndex(of: "=") else { continue }
      result[String(text[..<at])] = String(text[text.index(after: at)...])
    }
    return result
  }

  /// The arguments with which a process was started.
  static func arguments(of process: Int32) -> [String] {
    File.text("/proc/\(process)/cmdline").split(separator: "\0").map(String.init)
  }

  private static func program(_ process: Int32) -> MachineFacts.Program {
    MachineFacts.Program(pid: process, name: ProcessName.of(process))
  }

  /// `…: 00000002 00000000 00010000 0001 01 12345 /path`: listening sockets have the flag 00010000.
  private static func listening(in sockets: String) -> [String: [String]] {
    var result: [String: [String]] = [:]
    for line in sockets.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 7, omittingEmptySubsequences: true)
      guard words.count == 8, words[3] == "00010000" else { continue }
      let path = String(words[7])
      result[File.real(path) ?? path, default: []].append(String(words[6]))
    }
    return result
  }
}
