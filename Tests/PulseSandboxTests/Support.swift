import Glibc
import PulseTypes
import TestSupport
import Testing

@testable import PulseSandbox

/// Where a test needs a server: without the programs it is skipped, with the packages' names.
let needsServer: ConditionTrait = {
  SandboxTries.printAll()
  return .enabled(
    if: bothServers.allSatisfy(ServerProgram.isInstalled) && hasProgram("pactl"),
    "needs the packages pulseaudio, pipewire, pipewire-pulse, wireplumber and pulseaudio-utils")
}()

/// What most tests run on.
let bothServers: [ServerKind] = [.pulseaudio, .pipewire]

func hasProgram(_ name: String) -> Bool { ServerProgram.find(name, path: nil) != nil }

/// Whether there is a process with this number that is not merely waiting to be reaped.
func isAlive(_ process: Int32) -> Bool {
  let text = ServerLog(path: "/proc/\(process)/stat").text
  return !text.isEmpty && !text.contains(") Z ")
}

extension PulseSandbox {
  /// The names of the server's objects of a kind: sinks, sources, cards, modules.
  func names(of kind: String) async throws -> [String] {
    let result = try await capture(["pactl", "list", "short", kind])
    try #require(result.status == 0, "\(result.standardError)")
    return result.standardOutput.split(separator: "\n").map {
      String($0.split(separator: "\t", omittingEmptySubsequences: false)[1])
    }
  }

  /// What `pactl info` says behind `key`.
  func info(_ key: String) async throws -> String? {
    let result = try await capture(["pactl", "info"])
    try #require(result.status == 0, "\(result.standardError)")
    return result.standardOutput.split(separator: "\n").first { $0.hasPrefix("\(key): ") }
      .map { String($0.dropFirst(key.count + 2)) }
  }
}

extension PulseSandbox {
  /// The numbers of all processes of the server.
  var processes: [Int32] {
    get async {
      var result: [Int32] = []
      for process in ServerProcess.all(of: configuration.server) {
        if let number = await processID(of: process) { result.append(number) }
      }
      return result
    }
  }
}
