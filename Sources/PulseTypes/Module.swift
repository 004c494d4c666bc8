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
