internal import POSIX

extension PulseClient {
  /// The folder of the user's server, if it exists and the environment names neither it nor a server:
  /// libpulse does not look there, as in a job of cron, or after `su`.
  ///
  /// - Parameter address: the address that was asked for; nil for the environment's default.
  package static func unnamedRuntimeFolder(_ address: String?) -> String? {
    let names = ["PULSE_SERVER", "PULSE_RUNTIME_PATH", "XDG_RUNTIME_DIR"]
    guard address == nil, names.allSatisfy({ ProcessEnvironment[$0] == nil }) else { return nil }
    let folder = ProcessEnvironment.usualRuntimeFolder
    return File.status(folder)?.isFolder == true ? folder : nil
  }
}
