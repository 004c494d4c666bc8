import Logging

/// Writes what the library logs to standard error, a line an entry. The session's own thread logs, and
/// must not wait for a reader.
struct MessageLog: LogHandler {
  let output: Output
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.debug

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
    let details = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    output.logUnlessFull("\(event.level): \(event.message)\(details)")
  }
}
