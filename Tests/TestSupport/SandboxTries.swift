internal import PulseSandbox

/// The further tries of this process to start private servers.
package enum SandboxTries {
  private static let found = Shared<[String: [Int]]>([:])

  /// Prints each of them from now on, like the tries of a test.
  package static func printAll() {
    SandboxTry.observe { one in
      found.update { $0[one.address, default: []].append(one.number) }
      let fault = one.fault.split(separator: "\n").first.map { String($0) }
      noteTry(one.number, of: one.most, after: fault, in: "PulseSandbox")
    }
  }

  /// The numbers of those of one server.
  package static func numbers(at address: String) -> [Int] { found.value[address] ?? [] }
}
