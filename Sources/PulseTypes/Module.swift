/// A loaded module of the server (libpulse: `pa_module_info`).
public struct Module: Sendable, Hashable, Codable {
  /// The server's index; starts at 536870912 on pipewire-pulse.
  public var index: Index<Module>
  /// Its name, such as `module-remap-source`.
  public var name: String
  /// The arguments with which it was loaded.
  public var argument: String

  package init(index: Index<Module>, name: String, argument: String = "") {
    self.index = index
    self.name = name
    self.argument = argument
  }
}

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
