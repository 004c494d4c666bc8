package import PulseSandbox

extension PulseSandbox {
  /// Waits until WirePlumber has stored a value, or throws `timedOut`. It stores what programs set about a
  /// second later, and one that is started again begins with what was stored.
  ///
  /// - Parameters:
  ///   - file: the name of its file, or how that begins.
  package func awaitStored(_ value: String, in file: String) async throws {
    let script = """
      until grep -rqsF -D skip --include="$1*" -e "=$2" "$0"; do sleep 0.02; done
      """
    _ = try await capture(["sh", "-c", script, directory, file, value], timeout: .seconds(30))
  }
}
