/// A program that is connected to the server (libpulse: `pa_client_info`).
public struct Client: Sendable, Hashable, Codable {
  /// The server's index.
  public var index: Index<Client>
  /// Its name for itself.
  public var name: String
  /// The server's property list; `application.process.id` is the pid.
  public var properties: [String: String]

  package init(index: Index<Client>, name: String, properties: [String: String] = [:]) {
    self.index = index
    self.name = name
    self.properties = properties
  }
}
