import ArgumentParser
import AudioSession
import Dispatch
import Glibc
import POSIX
import PulseTypes
import SessionProfiles

/// The candidates that a shell offers for an argument.
enum Completion {
  /// Names of profiles; after a slash, files.
  static let profile = offering { typed, _ in profiles(typed) }

  /// Names of profiles.
  static let profileName = offering { _, _ in Profile.all().map(\.name) }

  /// The user's own profiles, for commands that write one.
  static let ownProfile = offering { _, _ in
    Profile.all().filter { $0.source != .builtIn }.map(\.name)
  }

  /// Sources of the server, including monitors and the session's own.
  static let source = offering { _, server in snapshot(of: server)?.sources.map(\.name) ?? [] }

  /// Sinks and sources of the server.
  static let device = offering { _, server in snapshot(of: server)?.hardwareNames ?? [] }

  /// Ports, cards and devices of the server; of a port that several cards have, `CARD/PORT`.
  static let jack = offering { _, server in
    guard let snapshot = snapshot(of: server) else { return [] }
    let ports = snapshot.cards.flatMap { card in card.ports.map { (card.name, $0.name) } }
    let counts = Dictionary(ports.map { ($0.1, 1) }, uniquingKeysWith: +)
    return ports.map { card, port in counts[port] == 1 ? port : "\(card)/\(port)" }
      + snapshot.cards.map(\.name) + snapshot.hardwareNames
  }

  /// The names from a function for the text typed so far and the server of the command line, in the form
  /// for the shell.
  private static func offering(
    _ names: @escaping @Sendable (String, String?) -> [String]
  ) -> CompletionKind {
    .custom { words, _, typed in
      ShellCandidates.escaped(
        names(ShellCandidates.unescaped(typed), server(in: words.map(ShellCandidates.unescaped))),
        for: CompletionShell.requesting)
    }
  }

  /// The value of `--server` among the words of a command line; bash makes a word of each `=` and `:`.
  static func server(in words: [String]) -> String? {
    let option = "--server"
    guard let at = words.lastIndex(where: { $0 == option || $0.hasPrefix(option + "=") }) else {
      return nil
    }
    var rest = words[(at + 1)...]
    var value = String(words[at].dropFirst(option.count + 1))
    if words[at] == option {
      if rest.first == "=" { rest.removeFirst() }
      guard let first = rest.popFirst() else { return nil }
      value = first
    }
    while let mark = rest.first, Set(mark) == [":"], let next = rest.dropFirst().first {
      value += mark + next
      rest = rest.dropFirst(2)
    }
    return value
  }

  static func profiles(_ typed: String) -> [String] {
    guard let slash = typed.lastIndex(of: "/") else { return Profile.all().map(\.name) }
    let folder = String(typed[...slash])
    return Folder.names(folder).filter { !$0.hasPrefix(".") }.compactMap { name -> String? in
      let path = folder + name
      // Or a link to one.
      if File.status(path)?.isFolder == true { return path + "/" }
      return name.hasSuffix(".toml") ? path : nil
    }.sorted()
  }

  /// A server, by default the environment's; nil if it does not answer at once. A shell waits for this.
  private static func snapshot(of server: String?) -> ServerSnapshot? {
    let (answer, isThere) = (Guarded<ServerSnapshot?>(nil), DispatchSemaphore(value: 0))
    let task = Task.detached {
      let session = AudioSession(
        server: server,
        configuration: SessionConfiguration(timeout: .seconds(1), isHolding: false))
      let snapshot = try? await session.snapshot()
      answer.withLock { $0 = snapshot }
      isThere.signal()
      await session.close()
    }
    defer { task.cancel() }
    isThere.wait()
    return answer.withLock { $0 }
  }
}

extension ServerSnapshot {
  fileprivate var hardwareNames: [String] {
    (hardware(.input) + hardware(.output)).map(\.name)
  }
}
