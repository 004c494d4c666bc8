import PulseSandbox

extension PulseSandbox {
  /// Starts `watch` in a shell, waits for a line of its, runs the script, and ends it by a signal.
  func watch(
    _ arguments: String, signal: String = "TERM", _ script: String
  ) async throws -> CommandResult {
    try await shell(
      """
      out=\(directory)/watch.out
      : > "$out"
      $A watch \(arguments) > "$out" 2>"$out.err" & pid=$!
      await() { until grep -q "$1" "$out"; do kill -0 $pid || { cat "$out.err"; exit 9; }; pause; done; }
      \(script)
      kill -\(signal) $pid
      wait $pid
      code=$?
      cat "$out"
      exit $code
      """)
  }
}
