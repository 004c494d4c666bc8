internal import Glibc
internal import POSIX

/// The sandbox inside which this process runs.
package struct RemoteSandbox: Sendable {
  /// The variable with the folder of the sandbox inside which a process runs.
  package static let environmentVariable = "AUDIOSESSION_SANDBOX"

  private let folder: String

  /// Finds the sandbox by this process's environment; nil outside a sandbox.
  package init?() {
    guard let folder = ProcessEnvironment[Self.environmentVariable] else { return nil }
    self.folder = folder
  }

  /// Requests a fault and waits until it has taken effect; a lasting one has then begun.
  package func simulate(
    _ fault: Fault, timeout: Duration
  ) async throws(SandboxError) -> RemoteFault {
    let path = folder + "/" + SandboxFolder.faultSocketName
    let connection: PacketConnection
    do throws(SandboxError) {
      connection = PacketConnection(try connectedSocket(path, .init(SOCK_SEQPACKET.rawValue)))
    } catch {
      guard error.code == .notRunning else { throw error }
      throw SandboxError(
        .closed, "the sandbox in \(folder) no longer exists",
        remedy: "leave its shell, or run 'audiosession sandbox' again")
    }
    connection.send(fault.words)
    let result = RemoteFault(connection)
    try await result.awaitAnswer(timeout)
    return result
  }
}
