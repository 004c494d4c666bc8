import ArgumentParser
import AudioSession
import Glibc
import POSIX
import Pulse
import PulseTypes
import SessionProfiles

/// The candidates that a shell offers for an argument.
enum Completion {
  /// Names of profiles; after a slash, files.
  static let profile = offering { profiles($0) }

  /// The user's own profiles, for commands that write one.
  static let ownProfile = offering { _ in
    Profile.all().filter { $0.source != .builtIn }.map(\.name)
  }

  /// Sources of the server, including monitors and the session's own.
  static let source = offering { _ in snapshot()?.sources.map(\.name) ?? [] }

  /// Sinks and sources of the server.
  static let device = offering { _ in snapshot()?.hardwareNames ?? [] }

  /// Ports, cards and devices of the server.
  static let jack = offering { _ in
    guard let snapshot = snapshot() else { return [] }
    return snapshot.cards.flatMap { $0.ports.map(\.name) + [$0.name] } + snapshot.hardwareNames
  }

  /// The names from a function for the text typed so far, in the form for the shell.
  private static func offering(
    _ names: @escaping @Sendable (String) -> [String]
  ) -> CompletionKind {
    .custom { _, _, typed in
      ShellCandidates.escaped(
        names(ShellCandidates.unescaped(typed)), for: CompletionShell.requesting)
    }
  }

  static func profiles(_ typed: String) -> [String] {
    guard let slash = typed.lastIndex(of: "/") else { return Profile.all().map(\.name) }
    let folder = String(typed[...slash])
    return Folder.entries(folder).filter {
      !$0.name.hasPrefix(".") && ($0.isFolder || $0.name.hasSuffix(".toml"))
    }
    .map { folder + $0.name + ($0.isFolder ? "/" : "") }.sorted()
  }

  /// The environment's server; nil if it does not answer at once. A shell waits for this.
  private static func snapshot() -> ServerSnapshot? {
    let answer = Answer()
    let task = Task.detached {
      let session = AudioSession(
        configuration: SessionConfiguration(timeout: .seconds(1), isHolding: false))
      answer.give(try? await session.snapshot())
      await session.close()
    }
    defer { task.cancel() }
    return answer.wait()
  }

  /// Passes a value from a task to a waiting thread.
  private final class Answer: Sendable {
    private let value = Guarded<ServerSnapshot?>(nil)
    private let ends = (try? Pipe.rawEnds()) ?? (reading: -1, writing: -1)

    func give(_ value: ServerSnapshot?) {
      self.value.withLock { $0 = value }
      close(ends.writing)
    }

    func wait() -> ServerSnapshot? {
      var byte: UInt8 = 0
      while read(ends.reading, &byte, 1) < 0, errno == EINTR {}
      close(ends.reading)
      return value.withLock { $0 }
    }
  }
}

extension ServerSnapshot {
  fileprivate var hardwareNames: [String] {
    (hardware(.input) + hardware(.output)).map(\.name)
  }
}
